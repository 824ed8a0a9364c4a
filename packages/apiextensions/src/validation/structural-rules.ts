import { type FieldError, type FieldPath, field } from "@orchernetes/apimachinery";
import { messageOf } from "@orchernetes/kernel";
import { compilePattern } from "../re2.ts";
import { additionalOf, itemsOf, type JsonSchema } from "../schema/json-schema.ts";

type Level = "root" | "item" | "field";

const preserve = "x-orchernetes-preserve-unknown-fields";
const embeddedResource = "x-orchernetes-embedded-resource";
const intOrString = "x-orchernetes-int-or-string";

/**
 * Whether a schema is structural (KEP-2335), as pruning and defaulting need it: every shape is described once, outside of the rules
 * that are combined by allOf, anyOf, oneOf and not.
 *
 * Three things are checked: each part has a type, combinations contain no shapes, and every member that a combination mentions exists
 * outside of it. Errors are sorted by field, as in Kubernetes.
 */
export function structuralErrors(schema: JsonSchema, path: FieldPath): readonly FieldError[] {
  const errors: FieldError[] = [];
  invariants(schema, "root", path, errors);
  completeness(schema, schema, path, errors);
  return errors.sort((a, b) => compare(`${a.field}: ${a.message}`, `${b.field}: ${b.message}`));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const emptyType: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

/** Each part has a type, or says why it has none, and extensions do not contradict it. */
function invariants(schema: JsonSchema, level: Level, path: FieldPath, errors: FieldError[]): void {
  const items = itemsOf(schema);
  const additional = additionalOf(schema);
  const type = schema.type ?? "";
  const embedded = schema[embeddedResource] === true;
  if (type === "array" && items === undefined) errors.push(field.required(path.child("items"), "must be specified"));
  if (items !== undefined) invariants(items, "item", path.child("items"), errors);
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    invariants(property, "field", path.child("properties").key(name), errors);
  if (schema.additionalProperties !== undefined && level === "root")
    errors.push(field.forbidden(path.child("additionalProperties"), "must not be used at the root"));
  if (additional !== undefined) invariants(additional, "field", path.child("additionalProperties"), errors);
  if (schema[intOrString] === true) {
    for (const name of [preserve, embeddedResource] as const) {
      if (schema[name] === true)
        errors.push(field.invalid(path.child(name), true, `must be false if ${intOrString} is true`));
    }
    if (type !== "") errors.push(field.invalid(path.child("type"), type, `must be empty if ${intOrString} is true`));
  }
  rules(schema, path, errors, isIntOrString(schema.anyOf), isIntOrString(schema.allOf?.[0]?.anyOf));
  if (embedded && type !== "object") {
    const detail = `must be object if ${embeddedResource} is true`;
    errors.push(
      type === "" ? field.required(path.child("type"), detail) : field.invalid(path.child("type"), type, detail),
    );
  } else if (type === "" && schema[intOrString] !== true && schema[preserve] !== true) {
    errors.push(field.required(path.child("type"), emptyType[level]));
  }
  if (embedded && schema.additionalProperties !== undefined)
    errors.push(field.forbidden(path.child("additionalProperties"), `must not be used if ${embeddedResource} is set`));
  if (level === "root" && type !== "" && type !== "object")
    errors.push(field.invalid(path.child("type"), type, "must be object at the root"));
  if (level === "root" || embedded) identity(schema, level, path.child("properties"), errors);
  if (embedded && schema[preserve] !== true && Object.keys(schema.properties ?? {}).length === 0) {
    const detail = `must not be empty if ${embeddedResource} is true without ${preserve}`;
    errors.push(field.required(path.child("properties"), detail));
  }
}

/** What every object has can be restricted only a little. */
function identity(schema: JsonSchema, level: Level, path: FieldPath, errors: FieldError[]): void {
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  if (kind !== undefined && kind.type !== "string")
    errors.push(field.invalid(path.key("kind").child("type"), kind.type ?? "", "must be string"));
  if (apiVersion !== undefined && apiVersion.type !== "string")
    errors.push(field.invalid(path.key("apiVersion").child("type"), apiVersion.type ?? "", "must be string"));
  if (metadata === undefined) return;
  const at = path.key("metadata");
  if (metadata.type !== "object") errors.push(field.invalid(at.child("type"), metadata.type ?? "", "must be object"));
  const { properties = {}, type: _type, description: _description, ...more } = metadata;
  const odd = Object.keys(properties).some((name) => name !== "name" && name !== "generateName");
  const rest = Object.entries(more).some(([name]) => !valueRules.has(name));
  if (level === "root" && (odd || rest)) {
    const detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
    errors.push(field.forbidden(at, detail));
  }
}

/** Keywords that restrict metadata as a value, without describing its members. */
const valueRules: ReadonlySet<string> = new Set([
  "required",
  "minProperties",
  "maxProperties",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "default",
]);

/** The form `anyOf: [integer, string]` exactly. It is the only combination that may name types: generated schemas of int-or-string have it. */
function isIntOrString(anyOf: readonly JsonSchema[] | undefined): boolean {
  return anyOf?.length === 2 && JSON.stringify(anyOf) === '[{"type":"integer"},{"type":"string"}]';
}

/** The rules of a value, and those they are combined of. */
function rules(
  schema: JsonSchema,
  path: FieldPath,
  errors: FieldError[],
  skipAnyOf = false,
  skipFirstAllOf = false,
): void {
  if (!skipAnyOf)
    for (const [i, one] of (schema.anyOf ?? []).entries()) nested(one, path.child("anyOf").index(i), errors);
  for (const [i, one] of (schema.allOf ?? []).entries())
    nested(one, path.child("allOf").index(i), errors, skipFirstAllOf && i === 0);
  for (const [i, one] of (schema.oneOf ?? []).entries()) nested(one, path.child("oneOf").index(i), errors);
  if (schema.not !== undefined) nested(schema.not, path.child("not"), errors);
  if (!schema.pattern) return;
  try {
    compilePattern(schema.pattern);
  } catch (error) {
    const reason = messageOf(error);
    const detail = `must be a valid regular expression, but isn't: ${reason}`;
    errors.push(field.invalid(path.child("pattern"), schema.pattern, detail));
  }
}

/** Keywords that describe a shape, and what they must be within a combination. */
const mustBe: readonly (readonly [keyof JsonSchema, string])[] = [
  ["type", "empty"],
  ["default", "undefined"],
  ["title", "empty"],
  ["description", "empty"],
  ["nullable", "false"],
  [preserve, "false"],
  [embeddedResource, "false"],
  [intOrString, "false"],
  ["x-orchernetes-list-map-keys", "empty"],
  ["x-orchernetes-list-type", "undefined"],
  ["x-orchernetes-map-type", "undefined"],
  ["x-orchernetes-validations", "empty"],
  ["additionalProperties", "undefined"],
];

/**
 * Within a combination there are rules only, no shapes. A default in one branch of `anyOf`, for example, would apply or not depending on
 * the rest of the value.
 */
function nested(schema: JsonSchema, path: FieldPath, errors: FieldError[], skipAnyOf = false): void {
  rules(schema, path, errors, skipAnyOf);
  const items = itemsOf(schema);
  if (items !== undefined) nested(items, path.child("items"), errors);
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    nested(property, path.child("properties").key(name), errors);
  for (const [name, what] of mustBe) {
    if (schema[name] !== undefined && schema[name] !== false)
      errors.push(field.forbidden(path.child(name), `must be ${what} to be structural`));
  }
  if (Object.hasOwn(schema.properties ?? {}, "metadata")) {
    const at = path.child("properties").key("metadata");
    errors.push(field.forbidden(at, "must not be specified in a nested context"));
  }
}

/**
 * Every member and item that rules mention must be described outside of them, too: pruning would drop a member that only a branch of `oneOf`
 * mentions, and the rule could not hold.
 */
function completeness(shape: JsonSchema | undefined, rule: JsonSchema, path: FieldPath, errors: FieldError[]): void {
  for (const [list, name] of [
    [rule.allOf, "allOf"],
    [rule.anyOf, "anyOf"],
    [rule.oneOf, "oneOf"],
  ] as const) {
    for (const [i, one] of (list ?? []).entries()) specified(shape, one, path, path.child(name).index(i), errors);
  }
  if (rule.not !== undefined) specified(shape, rule.not, path, path.child("not"), errors);
  if (rule !== shape) return;
  const items = itemsOf(rule);
  if (items !== undefined) completeness(items, items, path.child("items"), errors);
  for (const [name, property] of Object.entries(rule.properties ?? {}))
    completeness(property, property, path.child("properties").key(name), errors);
  const additional = additionalOf(rule);
  if (additional !== undefined) completeness(additional, additional, path.child("additionalProperties"), errors);
}

/** @param path of the shape; @param at of the rule */
function specified(
  shape: JsonSchema | undefined,
  rule: JsonSchema,
  path: FieldPath,
  at: FieldPath,
  errors: FieldError[],
): void {
  const items = itemsOf(rule);
  if (items !== undefined) {
    const own = shape === undefined ? undefined : itemsOf(shape);
    if (own === undefined) errors.push(missing(path.child("items"), at.child("items")));
    else specified(own, items, path.child("items"), at.child("items"), errors);
  }
  for (const [name, property] of Object.entries(rule.properties ?? {})) {
    const to = path.child("properties").key(name);
    const from = at.child("properties").key(name);
    const own = Object.hasOwn(shape?.properties ?? {}, name) ? shape?.properties?.[name] : undefined;
    if (own === undefined) errors.push(missing(to, from));
    else specified(own, property, to, from, errors);
  }
  for (const [list, name] of [
    [rule.allOf, "allOf"],
    [rule.anyOf, "anyOf"],
    [rule.oneOf, "oneOf"],
  ] as const) {
    for (const [i, one] of (list ?? []).entries()) specified(shape, one, path, at.child(name).index(i), errors);
  }
  if (rule.not !== undefined) specified(shape, rule.not, path, at.child("not"), errors);
}

/** The error of a shape that only a rule mentions; it names both places. */
const missing = (path: FieldPath, at: FieldPath): FieldError => field.required(path, `because it is defined in ${at}`);
