import { type FieldError, type FieldPath, field } from "@orchernetes/apimachinery";
import { itemsOf, type JsonSchema } from "../schema/json-schema.ts";

const listType = "x-orchernetes-list-type";
const listKeys = "x-orchernetes-list-map-keys";
/** The list types of server-side apply (KEP-555). */
const known = ["atomic", "set", "map"];

/** Whether the list type of a schema, and what it asks of items, fit together. */
export function listErrors(schema: JsonSchema, path: FieldPath): readonly FieldError[] {
  const type = schema[listType];
  const keys = schema[listKeys] ?? [];
  const errors: FieldError[] = [];
  if (type !== undefined && schema.type !== "array") {
    const detail = "must be array if x-orchernetes-list-type is specified";
    errors.push(
      schema.type ? field.invalid(path.child("type"), schema.type, detail) : field.required(path.child("type"), detail),
    );
  }
  if (type !== undefined && !known.includes(type)) errors.push(field.notSupported(path.child(listType), type, known));
  if (keys.length > 0 && type !== "map") {
    const detail = "must be map if x-orchernetes-list-map-keys is non-empty";
    errors.push(
      type === undefined
        ? field.required(path.child(listType), detail)
        : field.invalid(path.child(listType), type, detail),
    );
  }
  if (type === "map") errors.push(...mapErrors(schema, keys, path));
  if (type === "set") errors.push(...setErrors(itemsOf(schema), path.child("items")));
  return errors;
}

/** Items of a set are compared as a whole, so that nothing within them can have an owner of its own. */
function setErrors(items: JsonSchema | undefined, path: FieldPath): readonly FieldError[] {
  if (items === undefined) return [];
  const errors: FieldError[] = [];
  if (items.nullable === true)
    errors.push(field.forbidden(path.child("nullable"), "cannot be nullable when x-orchernetes-list-type is set"));
  if (items.type === "object" && items["x-orchernetes-map-type"] !== "atomic") {
    const at = path.child("x-orchernetes-map-type");
    const given = items["x-orchernetes-map-type"];
    const detail = "must be atomic as item of a list with x-orchernetes-list-type=set";
    errors.push(given === undefined ? field.required(at, detail) : field.invalid(at, given, detail));
  }
  const inner = items[listType];
  if (items.type === "array" && inner !== undefined && inner !== "atomic") {
    const detail = "must be atomic as item of a list with x-orchernetes-list-type=set";
    errors.push(field.invalid(path.child(listType), inner, detail));
  }
  return errors;
}

/** Items of a map list are found by their keys, which must therefore exist in every item. */
function mapErrors(schema: JsonSchema, keys: readonly string[], path: FieldPath): readonly FieldError[] {
  const errors: FieldError[] = [];
  const items = itemsOf(schema);
  if (keys.length === 0)
    errors.push(field.required(path.child(listKeys), "must not be empty if x-orchernetes-list-type is map"));
  if (items === undefined) {
    return [...errors, field.required(path.child("items"), "must have a schema if x-orchernetes-list-type is map")];
  }
  if (items.type !== "object") {
    const detail = "must be object if parent array's x-orchernetes-list-type is map";
    errors.push(field.invalid(path.child("items", "type"), items.type ?? "", detail));
  }
  const properties = path.child("items").child("properties");
  const seen = new Set<string>();
  for (const key of keys) {
    const property = Object.hasOwn(items.properties ?? {}, key) ? items.properties?.[key] : undefined;
    if (property === undefined) {
      errors.push(field.invalid(path.child(listKeys), key, "entries must all be names of item properties"));
    } else {
      errors.push(...keyErrors(property, items.required?.includes(key) === true, properties.key(key)));
    }
    if (seen.has(key)) errors.push(field.invalid(path.child(listKeys), keys, "must not contain duplicate entries"));
    seen.add(key);
  }
  return errors;
}

/** A key is a scalar, and is never absent: required, or with a default. */
function keyErrors(property: JsonSchema, required: boolean, path: FieldPath): readonly FieldError[] {
  const errors: FieldError[] = [];
  const is = "this property is in x-orchernetes-list-map-keys, so it";
  if (property.type === "array" || property.type === "object") {
    const detail = "must be a scalar type if parent array's x-orchernetes-list-type is map";
    errors.push(field.invalid(path.child("type"), property.type, detail));
  }
  if (!required && property.default === undefined)
    errors.push(field.required(path.child("default"), `${is} must have a default or be a required property`));
  if (property.nullable === true) errors.push(field.forbidden(path.child("nullable"), `${is} cannot be nullable`));
  return errors;
}
