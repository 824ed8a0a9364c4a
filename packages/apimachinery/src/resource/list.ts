import type { Field, MessageSchema } from "../schema/index.ts";
import { type Infer, list, object, raw, required, value } from "../schema/index.ts";
import type { ApiObject } from "./object.ts";
import { ListMeta } from "./object-meta.ts";

/** A list of objects of any kind, as clients read from files. */
export const List = object("meta/v1", "List", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(raw)),
}));
export interface List extends Infer<typeof List> {}

/** A list of objects of one kind. */
export interface ListOf<T extends ApiObject> {
  readonly kind?: string | undefined;
  readonly apiVersion?: string | undefined;
  readonly metadata: ListMeta;
  readonly items: readonly T[];
}

const lists = new WeakMap<MessageSchema, MessageSchema>();

/**
 * The schema of a kind's list. There is one schema per item schema: later calls return the first one.
 *
 * @param kind the list's kind @default `${item.name}List`
 */
export function listSchemaOf<T extends ApiObject>(
  item: MessageSchema<T>,
  kind = `${item.name}List`,
): MessageSchema<ListOf<T>> {
  const known = lists.get(item);
  if (known !== undefined) {
    return known as MessageSchema<ListOf<T>>;
  }
  const made = object(item.pkg, kind, () => ({
    metadata: value(1, ListMeta) as Field<ListMeta, "value">,
    items: required(2, list<T>(item)),
  })) as MessageSchema<ListOf<T>>;
  lists.set(item, made);
  return made;
}
