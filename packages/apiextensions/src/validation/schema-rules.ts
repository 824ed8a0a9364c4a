import { type FieldError, type FieldPath, field } from "@orchernetes/apimachinery";
import { expandedPatternSize, maxExpandedPatternSize } from "@orchernetes/cel";
import { additionalOf, itemsOf, type JsonSchema } from "../schema/json-schema.ts";
import { listErrors } from "./list-rules.ts";

const types: readonly string[] = ["array", "boolean", "integer", "number", "object", "string"];
const quantifiers = ["allOf", "anyOf", "oneOf"] as const;

/** Maximum depth of schemas; what walks them and the objects they describe recurses no deeper. */
const maxSchemaDepth = 150;
/** Maximum number of schemas in the schema of one version. */
const maxSchemas = 30_000;
/** Maximum size of all patterns in the schema of one version. Objects that are validated may need all of them compiled at once. */
const maxPatternsSize = 2 * maxExpandedPatternSize;

/** Schemas that lie directly in another, with their paths; the order is that of messages. */
function* nestedSchemas(schema: JsonSchema, path: FieldPath): Generator<readonly [JsonSchema, FieldPath]> {
  const additional = additionalOf(schema);
  if (additional !== undefined) yield [additional, path.child("additionalProperties")];
  for (const [name, one] of Object.entries(schema.properties ?? {})) yield [one, path.child("properties").key(name)];
  if (schema.not !== undefined) yield [schema.not, path.child("not")];
  for (const quantifier of quantifiers) {
    for (const [i, one] of (schema[quantifier] ?? []).entries()) yield [one, path.child(quantifier).index(i)];
  }
  const items = itemsOf(schema);
  if (items !== undefined) yield [items, path.child("items")];
}

/** Whether a schema is larger than the server walks; checked before anything recurses over it. */
export function sizeErrors(schema: JsonSchema, path: FieldPath): readonly FieldError[] {
  let count = 0;
  let size = 0;
  let level: readonly JsonSchema[] = [schema];
  for (let depth = 1; level.length > 0; depth++) {
    count += level.length;
    if (depth > maxSchemaDepth) return [field.invalid(path, "", `must not nest deeper than ${maxSchemaDepth} schemas`)];
    if (count > maxSchemas) return [field.tooMany(path, count, maxSchemas)];
    for (const { pattern = "" } of level) {
      const own = expandedPatternSize(pattern);
      size += own;
      if (own > maxExpandedPatternSize || size > maxPatternsSize) return [tooLargePatterns(path)];
    }
    level = level.flatMap((one) => [...nestedSchemas(one, path)].map(([nested]) => nested));
  }
  return [];
}

const tooLargePatterns = (path: FieldPath): FieldError => {
  const limits = `${maxExpandedPatternSize} steps in one pattern and ${maxPatternsSize} in all of them`;
  return field.invalid(path, "", `must not have larger patterns, with repetitions written out, than ${limits}`);
};

/** What a schema of a custom resource must not contain, and what must be consistent in it. */
export function schemaErrors(root: JsonSchema, rootPath: FieldPath, statusEnabled: boolean): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (root.nullable === true)
    errors.push(field.forbidden(rootPath.child("nullable"), "nullable cannot be true at the root"));
  if (statusEnabled) errors.push(...rootErrors(root, rootPath));
  walk(root, rootPath, errors);
  return errors;
}

/** Keywords at the root beside a status subresource, in the order of the message. */
const allowedAtRoot: readonly (keyof JsonSchema)[] = [
  "description",
  "type",
  "format",
  "title",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "multipleOf",
  "required",
  "items",
  "properties",
  "externalDocs",
  "example",
  "x-orchernetes-preserve-unknown-fields",
  "x-orchernetes-validations",
];
const allowed: ReadonlySet<string> = new Set(allowedAtRoot);

/** With a status subresource the status is validated apart, so that the root has no rules about spec and status together. */
function rootErrors(root: JsonSchema, path: FieldPath): readonly FieldError[] {
  const odd = Object.keys(root).find((name) => !allowed.has(name) && name !== "nullable");
  if (odd === undefined) return [];
  const detail = `only ${allowedAtRoot.join(",")} fields are allowed at the root of the schema if the status subresource is enabled`;
  return [field.invalid(path, odd, detail)];
}

/** Depth and number of schemas were limited before, so that the recursion is safe. */
function walk(schema: JsonSchema, path: FieldPath, errors: FieldError[]): void {
  forbidden(schema, path, errors);
  if (schema.type === "null")
    errors.push(field.forbidden(path.child("type"), "type cannot be set to null, use nullable as an alternative"));
  else if (schema.type && !types.includes(schema.type))
    errors.push(field.notSupported(path.child("type"), schema.type, types));
  if (
    schema.properties !== undefined &&
    schema.additionalProperties !== undefined &&
    Object.keys(schema.properties).length > 0
  ) {
    if (schema.additionalProperties !== true)
      errors.push(
        field.forbidden(path.child("additionalProperties"), "additionalProperties and properties are mutual exclusive"),
      );
  }
  errors.push(...listErrors(schema, path), ...ruleErrors(schema, path));
  for (const [nested, at] of nestedSchemas(schema, path)) walk(nested, at, errors);
}

/** Keywords of JSON Schema that the API type has and custom resources do not support. */
function forbidden(schema: JsonSchema, path: FieldPath, errors: FieldError[]): void {
  const deny = (name: string, detail: string) => errors.push(field.forbidden(path.child(name), detail));
  if (schema.id) deny("id", "id is not supported");
  if (schema.additionalItems !== undefined) deny("additionalItems", "additionalItems is not supported");
  if (Object.keys(schema.patternProperties ?? {}).length > 0)
    deny("patternProperties", "patternProperties is not supported");
  if (Object.keys(schema.definitions ?? {}).length > 0) deny("definitions", "definitions is not supported");
  if (schema.dependencies !== undefined) deny("dependencies", "dependencies is not supported");
  if (schema.$ref !== undefined) deny("$ref", "$ref is not supported");
  if (Array.isArray(schema.items) && schema.items.length > 0)
    deny("items", "items must be a schema object and not an array");
  if (schema.uniqueItems === true)
    deny("uniqueItems", "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
  if (schema["x-orchernetes-preserve-unknown-fields"] === false) {
    const at = path.child("x-orchernetes-preserve-unknown-fields");
    errors.push(field.invalid(at, false, "must be true or undefined"));
  }
  const mapType = schema["x-orchernetes-map-type"];
  if (mapType === undefined) return;
  const at = path.child("x-orchernetes-map-type");
  if (schema.type !== "object")
    errors.push(
      field.invalid(path.child("type"), schema.type ?? "", "must be object if x-orchernetes-map-type is specified"),
    );
  if (mapType !== "atomic" && mapType !== "granular")
    errors.push(field.notSupported(at, mapType, ["atomic", "granular"]));
}

/** Line breaks around a text do not count. */
const hasLineBreaks = (text: string): boolean => /[\n\r]/.test(text.trim());

/** The form of rules in the expression language, so far as it needs no compiler. Messages have one line, since errors are joined to a line. */
function ruleErrors(schema: JsonSchema, path: FieldPath): readonly FieldError[] {
  return (schema["x-orchernetes-validations"] ?? []).flatMap((rule, i) => {
    const at = path.child("x-orchernetes-validations").index(i);
    const errors: FieldError[] = [];
    const { message = "" } = rule;
    if (rule.rule.trim() === "") errors.push(field.required(at.child("rule"), "rule is not specified"));
    else if (message !== "" && message.trim() === "")
      errors.push(field.invalid(at.child("message"), message, "message must be non-empty if specified"));
    else if (hasLineBreaks(message))
      errors.push(field.invalid(at.child("message"), message, "message must not contain line breaks"));
    else if (message === "" && hasLineBreaks(rule.rule))
      errors.push(field.required(at.child("message"), "message must be specified if rule contains line breaks"));
    if (rule.messageExpression !== undefined && rule.messageExpression !== "" && rule.messageExpression.trim() === "")
      errors.push(field.required(at.child("messageExpression"), "messageExpression must be non-empty if specified"));
    return errors;
  });
}
