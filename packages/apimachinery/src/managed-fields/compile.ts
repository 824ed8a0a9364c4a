import { ObjectMeta } from "../resource/object-meta.ts";
import type { Field, MessageSchema, Schema } from "../schema/index.ts";
import { keyedListWalker, type ListKey } from "./keyed-list-walker.ts";
import { leafWalker } from "./leaf-walker.ts";
import { mapWalker } from "./map-walker.ts";
import { openStructWalker } from "./open-struct-walker.ts";
import { setWalker } from "./set-walker.ts";
import { structWalker } from "./struct-walker.ts";
import { untypedWalker } from "./untyped-walker.ts";
import type { Walker } from "./walker.ts";

/** Metadata that is set by the server or identifies the object. It has no owner and is therefore in no set. */
const identity: ReadonlySet<string> = new Set([
  "name",
  "namespace",
  "creationTimestamp",
  "selfLink",
  "uid",
  "clusterName",
  "generation",
  "managedFields",
  "resourceVersion",
]);
/** The fields of the type, which no manager may own: `managedFields` entries contain the version themselves. */
const typeMeta: ReadonlySet<string> = new Set(["kind", "apiVersion"]);

/** Walkers by schema. The maps are weak, because the schemas of custom resources come and go. */
const messages = new WeakMap<MessageSchema, Walker>();
const kinds = new WeakMap<MessageSchema, Walker>();
const untyped = untypedWalker();

/** The walker of a top-level kind; compiled once, on first use. */
export function walkerFor(schema: MessageSchema): Walker {
  let walker = kinds.get(schema);
  if (walker === undefined) {
    const fields: Readonly<Record<string, Field>> = schema.fields();
    const metadata = structWalker(ObjectMeta, fieldWalkers(ObjectMeta), { except: identity });
    const own: Readonly<Record<string, Walker>> = Object.hasOwn(fields, "metadata") ? { metadata } : {};
    walker = opened(schema, structWalker(schema, fieldWalkers(schema), { except: typeMeta, fields: own }));
    kinds.set(schema, walker);
  }
  return walker;
}

const fieldWalkers = (schema: MessageSchema): ((name: string) => Walker) => {
  const fields: Readonly<Record<string, Field>> = schema.fields();
  return (name) => fieldWalker(fields[name] as Field);
};

/** Adds a walker for the members that are not fields, if the schema allows such. */
function opened(schema: MessageSchema, struct: Walker): Walker {
  const { open } = schema;
  if (open === undefined) return struct;
  return openStructWalker(struct, new Set(Object.keys(schema.fields())), schemaWalker(open, true));
}

/**
 * The walker of a field according to its `x-orchernetes-list-type`, `-map-type` and `-map-keys`. A list without a
 * type is atomic: it has one owner, who replaces it.
 */
function fieldWalker(field: Field): Walker {
  const { schema } = field;
  const atomic = field.atomic ?? (schema.kind === "message" && schema.atomic === true);
  if (atomic) return leafWalker(schema);
  if (schema.kind !== "list") return schemaWalker(schema, true);
  switch (field.list) {
    case "set":
      return setWalker(schemaWalker(schema.item));
    case "map":
      return keyedListWalker(schemaWalker(schema.item), listKeys(schema.item, field.keys ?? []));
    default:
      return leafWalker(schema);
  }
}

/**
 * The keys of list items. Items that lack a key with a default (`protocol: TCP`) are the same as those with the
 * default.
 */
function listKeys(item: Schema, names: readonly string[]): readonly ListKey[] {
  const fields: Readonly<Record<string, Field>> = item.kind === "message" ? item.fields() : {};
  return names.map((name) => ({ name, default: Object.hasOwn(fields, name) ? fields[name]?.default : undefined }));
}

/**
 * The walker of a schema.
 *
 * @param granular owns an atomic struct field by field, because the field that contains it says so
 */
function schemaWalker(schema: Schema, granular = false): Walker {
  switch (schema.kind) {
    case "message":
      if (schema.custom !== undefined && schema.custom.ownedByFields !== true) return untyped;
      return schema.atomic === true && !granular ? leafWalker(schema) : messageWalker(schema);
    case "map":
      return mapWalker(schemaWalker(schema.value));
    case "raw":
    case "json":
      return untyped;
    default:
      return leafWalker(schema);
  }
}

/** The walker of a message. It is compiled on first use, so that schemas may be recursive. */
function messageWalker(schema: MessageSchema): Walker {
  const known = messages.get(schema);
  if (known !== undefined) return known;
  let compiled: Walker | undefined;
  const walker = (): Walker => {
    compiled ??= opened(schema, structWalker(schema, fieldWalkers(schema)));
    return compiled;
  };
  const lazy: Walker = {
    whole: (value) => walker().whole(value),
    compare: (before, after, out) => walker().compare(before, after, out),
    applied: (value) => walker().applied(value),
    merge: (live, patch) => walker().merge(live, patch),
    prune: (value, pruning) => walker().prune(value, pruning),
    typed: (value, path) => walker().typed(value, path),
  };
  messages.set(schema, lazy);
  return lazy;
}
