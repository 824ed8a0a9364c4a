import type { MessageSchema } from "../schema/index.ts";

/** Returns the texts of a type by field name, "" for the type itself; undefined for unknown types. */
export type DocumentationSource = (schema: MessageSchema) => Readonly<Record<string, string>> | undefined;

const objectTexts: Readonly<Record<string, string>> = {
  kind: "Name of the object's type in CamelCase, such as Pod. In requests it may be omitted if the path implies it; it cannot be changed.",
  apiVersion:
    "Group and version of the object's schema, such as apps/v1; v1 alone means the core group. A server rejects versions that it does not serve.",
  metadata:
    "Metadata that every object has: name, namespace, labels, annotations, owners, and values that the server sets.",
};

const listTexts = (kind: string): Readonly<Record<string, string>> => ({
  ...objectTexts,
  "": `A list of ${kind} objects.`,
  metadata:
    "Metadata of the list: the resourceVersion to start a watch from and, if more pages follow, the token that continues it.",
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
