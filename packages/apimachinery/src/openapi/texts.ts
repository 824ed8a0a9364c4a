import type { MessageSchema } from "../schema/index.ts";

/** The texts of a type by field name, "" for the type itself; undefined for types it knows nothing about. */
export type DocumentationSource = (schema: MessageSchema) => Readonly<Record<string, string>> | undefined;

const objectTexts: Readonly<Record<string, string>> = {
  kind: "Name of the type that this object is of, in CamelCase, such as Pod. In requests it may be left out where the path already says it; it can't change.",
  apiVersion:
    "Group and version of the schema that this object is written in, such as apps/v1; v1 alone means the core group. A server refuses versions that it does not serve.",
  metadata: "What every object has: name, namespace, labels, annotations, owners and what the server keeps about it.",
};

const listTexts = (kind: string): Readonly<Record<string, string>> => ({
  ...objectTexts,
  "": `Several ${kind} objects, as list calls answer them.`,
  metadata:
    "Facts about the list itself: the resourceVersion to watch from and, when more pages follow, the token that continues it.",
  items: `The ${kind} objects of this page, sorted by namespace and name.`,
});

/**
 * Returns the texts of a type: those of the source, and for objects and lists also the texts of the fields that all of them have.
 */
export function textsOf(schema: MessageSchema, source?: DocumentationSource): Readonly<Record<string, string>> {
  const own = source?.(schema);
  if (schema.object !== true) return own ?? {};
  const item = schema.fields().items?.schema;
  const common =
    item?.kind === "list" && item.item.kind === "message" && item.item.object === true
      ? listTexts(item.item.name)
      : objectTexts;
  return { ...common, ...own };
}
