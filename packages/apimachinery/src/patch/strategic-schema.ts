import type { Field, MessageSchema, Schema } from "../schema/index.ts";

/** How a value is merged according to its schema. */
export interface MergeRule {
  /** Undefined if there is no schema: the value is plain JSON. */
  readonly schema: Schema | undefined;
  /** "merge" merges lists instead of replacing them; "replace" replaces structs instead of merging them. */
  readonly strategy: "merge" | "replace" | "";
  /** The member that identifies items; "" for lists of scalars. */
  readonly mergeKey: string;
}

const plain: MergeRule = { schema: undefined, strategy: "", mergeKey: "" };

/** The rule for the member `key` of a value with this schema. */
export function ruleFor(schema: Schema | undefined, key: string): MergeRule {
  if (schema?.kind === "map") {
    return { schema: schema.value, strategy: "", mergeKey: "" };
  }
  if (schema?.kind !== "message") {
    return plain;
  }
  const fields: Readonly<Record<string, Field>> = schema.fields();
  const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
  if (field === undefined) {
    return plain;
  }
  const strategy =
    field.patch === "merge" || field.patch === "merge,retainKeys"
      ? "merge"
      : field.patch === "replace"
        ? "replace"
        : "";
  return { schema: field.schema, strategy, mergeKey: field.mergeKey ?? "" };
}

/** The schema of a list's items. */
export function itemSchema(schema: Schema | undefined): Schema | undefined {
  return schema?.kind === "list" ? schema.item : undefined;
}

/** A name for messages. */
export function schemaName(schema: Schema | undefined): string {
  return schema === undefined ? "JSON" : schema.kind === "message" ? (schema as MessageSchema).name : schema.kind;
}
