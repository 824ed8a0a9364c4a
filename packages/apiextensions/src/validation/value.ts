import { canonicalText, type FieldError, field } from "@orchernetes/apimachinery";
import { compilePattern, type Matcher } from "../re2.ts";
import { additionalOf, itemsOf, type JsonSchema } from "../schema/json-schema.ts";
import { isPlain, type Plain } from "../schema/structural.ts";
import { type FormatCheck, formats } from "./formats.ts";

/** Adds what is wrong with a value at a path (`spec.size`, "" for the whole) to `errors`. */
export type Check = (value: unknown, path: string, errors: FieldError[]) => void;

const invalid = (path: string, value: unknown, detail: string): FieldError =>
  field.invalid(path, value, `${path} in body ${detail}`.trimStart());

/** An error of a value of another type, of which only the type is shown, or of another format. */
const ofOtherType = (path: string, value: string, wanted: string): FieldError =>
  field.typeInvalid(path, value, `${path} in body must be of type ${wanted}: ${JSON.stringify(value)}`.trimStart());

/** The JSON type of a value, as messages name it. */
function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  // 64-bit integers are exact; larger ones are doubles, which are not known to be integers.
  if (typeof value === "bigint") return "integer";
  if (typeof value === "number") return Number.isSafeInteger(value) ? "integer" : "number";
  return typeof value;
}

/** Number of errors after which lists and maps are not validated any further; about a hundred are shown. */
const enoughErrors = 1000;
/** Below so many properties it is faster to go through them than to sort the members of the object. */
const fewProperties = 64;

const join = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

/**
 * Compiles the rules of a schema, those of the schemas in it included. Patterns are matched in linear time.
 *
 * A schema is compiled once and checks many objects. Keywords that it does not have cost nothing. Messages and their order are those of
 * Kubernetes' validator.
 */
export function compileCheck(schema: JsonSchema): Check {
  const checks = [
    typeCheck(schema),
    quantifierCheck(schema),
    stringCheck(schema),
    numberCheck(schema),
    arrayCheck(schema),
    enumCheck(schema),
    objectCheck(schema),
  ].filter((check) => check !== undefined);
  return (value, path, errors) => {
    for (const check of checks) check(value, path, errors);
  };
}

/** The types that a value may have; none if it may have any. */
function typesOf(schema: JsonSchema): readonly string[] {
  if (schema["x-orchernetes-int-or-string"] === true) return ["integer", "string"];
  return schema.type ? [schema.type] : [];
}

function typeCheck(schema: JsonSchema): Check | undefined {
  const types = typesOf(schema);
  if (types.length === 0) return undefined;
  const nullable = schema.nullable === true;
  return (value, path, errors) => {
    const found = typeOf(value);
    if (types.includes(found) || (value === null && nullable)) return;
    if (found === "integer" && types.includes("number")) return;
    errors.push(ofOtherType(path, found, types.join(",")));
  };
}

function stringCheck({ minLength, maxLength, pattern, format, type }: JsonSchema): Check | undefined {
  const known: FormatCheck | undefined = format === undefined ? undefined : formats.get(format);
  const applies = type === undefined || type === "string";
  const hasFormat = applies && known !== undefined ? known : undefined;
  if (minLength === undefined && maxLength === undefined && !pattern && hasFormat === undefined) return undefined;
  const match = pattern ? lazyPattern(pattern) : undefined;
  return (value, path, errors) => {
    if (typeof value !== "string") return;
    const length = minLength === undefined && maxLength === undefined ? 0 : lengthOf(value);
    if (maxLength !== undefined && length > maxLength) errors.push(field.tooLongMaxLength(path, maxLength));
    else if (minLength !== undefined && length < minLength)
      errors.push(invalid(path, value, `should be at least ${minLength} chars long`));
    else if (match !== undefined && !match(value)) errors.push(invalid(path, value, `should match '${pattern}'`));
    if (hasFormat !== undefined && !hasFormat(value)) errors.push(ofOtherType(path, value, format ?? ""));
  };
}

/** Compiled when the first text comes: definitions may have many patterns. An invalid one, which another server may have stored, matches nothing. */
function lazyPattern(pattern: string): Matcher {
  let match: Matcher | undefined;
  const compiled = (): Matcher => {
    try {
      return compilePattern(pattern);
    } catch {
      return () => false;
    }
  };
  return (text) => {
    match ??= compiled();
    return match(text);
  };
}

/** In characters, not in units of UTF-16. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** In OpenAPI 3.0 exclusiveMaximum and exclusiveMinimum are booleans that say how maximum and minimum are meant. */
function numberCheck(schema: JsonSchema): Check | undefined {
  const { multipleOf, maximum, minimum } = schema;
  if (multipleOf === undefined && maximum === undefined && minimum === undefined) return undefined;
  const openAbove = schema.exclusiveMaximum === true;
  const openBelow = schema.exclusiveMinimum === true;
  return (value, path, errors) => {
    if (typeof value !== "number" && typeof value !== "bigint") return;
    if (multipleOf !== undefined && multipleOf > 0 && !isMultiple(value, multipleOf))
      errors.push(invalid(path, value, `should be a multiple of ${multipleOf}`));
    if (minimum !== undefined && (openBelow ? value <= minimum : value < minimum))
      errors.push(invalid(path, value, `should be greater than ${openBelow ? "" : "or equal to "}${minimum}`));
    if (maximum !== undefined && (openAbove ? value >= maximum : value > maximum))
      errors.push(invalid(path, value, `should be less than ${openAbove ? "" : "or equal to "}${maximum}`));
  };
}

function isMultiple(value: number | bigint, of: number): boolean {
  if (typeof value === "bigint" && Number.isInteger(of)) return value % BigInt(of) === 0n;
  return Number.isInteger(Number(value) / of);
}

function arrayCheck(schema: JsonSchema): Check | undefined {
  const { minItems, maxItems, uniqueItems } = schema;
  const items = itemsOf(schema);
  if (items === undefined && minItems === undefined && maxItems === undefined && !uniqueItems) return undefined;
  const check = items === undefined ? undefined : compileCheck(items);
  return (value, path, errors) => {
    if (!Array.isArray(value)) return;
    if (check !== undefined) {
      for (let i = 0; i < value.length && errors.length < enoughErrors; i++) check(value[i], `${path}[${i}]`, errors);
    }
    if (minItems !== undefined && value.length < minItems)
      errors.push(invalid(path, value.length, `should have at least ${minItems} items`));
    if (maxItems !== undefined && value.length > maxItems) errors.push(field.tooMany(path, value.length, maxItems));
    if (uniqueItems && new Set(value.map(canonicalText)).size < value.length)
      errors.push(invalid(path, "", "shouldn't contain duplicates"));
  };
}

/** Values are compared by their canonical JSON, in which members of objects have one order. */
function enumCheck({ enum: values, nullable }: JsonSchema): Check | undefined {
  if (values === undefined || values.length === 0) return undefined;
  const known = new Set(values.map(canonicalText));
  const shown = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  return (value, path, errors) => {
    if (known.has(canonicalText(value)) || (value === null && nullable === true)) return;
    errors.push(field.notSupported(path, value, shown));
  };
}

function objectCheck(schema: JsonSchema): Check | undefined {
  const { minProperties, maxProperties, required = [] } = schema;
  const properties = new Map(
    Object.entries(schema.properties ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, property]) => [name, compileCheck(property)]),
  );
  const additionalSchema = additionalOf(schema);
  const additional = additionalSchema === undefined ? undefined : compileCheck(additionalSchema);
  const closed = schema.additionalProperties === false;
  if (
    minProperties === undefined &&
    maxProperties === undefined &&
    required.length + properties.size === 0 &&
    additional === undefined &&
    !closed
  )
    return undefined;
  return (value, path, errors) => {
    if (!isPlain(value)) return;
    checkCount(value, path, errors, minProperties, maxProperties);
    checkMembers(value, path, errors, properties);
    for (const name of required) {
      if (errors.length >= enoughErrors) return;
      if (!Object.hasOwn(value, name) || value[name] === undefined) errors.push(field.required(join(path, name)));
    }
    if (additional === undefined && !closed) return;
    for (const name of Object.keys(value)) {
      if (errors.length >= enoughErrors) return;
      if (properties.has(name)) continue;
      if (additional === undefined) errors.push(invalid(join(path, name), "", "is a forbidden property"));
      else additional(value[name], join(path, name), errors);
    }
  };
}

/** Validates members in the order of their names. Iterates over the shorter of both lists: a schema may have very many properties. */
function checkMembers(value: Plain, path: string, errors: FieldError[], properties: ReadonlyMap<string, Check>): void {
  if (properties.size < fewProperties) {
    for (const [name, check] of properties)
      if (Object.hasOwn(value, name)) check(value[name], join(path, name), errors);
    return;
  }
  for (const name of Object.keys(value).sort()) properties.get(name)?.(value[name], join(path, name), errors);
}

function checkCount(
  value: Plain,
  path: string,
  errors: FieldError[],
  least: number | undefined,
  most: number | undefined,
): void {
  if (least === undefined && most === undefined) return;
  const count = Object.keys(value).length;
  if (least !== undefined && count < least)
    errors.push(invalid(path, count, `should have at least ${least} properties`));
  if (most !== undefined && count > most) errors.push(field.tooMany(path, count, most));
}

/** anyOf, oneOf, allOf and not. Their alternatives collect errors apart: only those that help are reported. */
function quantifierCheck({ anyOf, oneOf, allOf, not }: JsonSchema): Check | undefined {
  if (!anyOf?.length && !oneOf?.length && !allOf?.length && not === undefined) return undefined;
  const any = (anyOf ?? []).map(compileCheck);
  const one = (oneOf ?? []).map(compileCheck);
  const all = (allOf ?? []).map(compileCheck);
  const none = not === undefined ? undefined : compileCheck(not);
  return (value, path, errors) => {
    if (any.length > 0) {
      const { valid, best } = tried(any, value, path, true);
      if (valid === 0) errors.push(whole(path, "must validate at least one schema (anyOf)"), ...best);
    }
    if (one.length > 0) {
      const { valid, best } = tried(one, value, path, false);
      if (valid !== 1) {
        const found = valid === 0 ? "Found none valid" : `Found ${valid} valid alternatives`;
        errors.push(whole(path, `must validate one and only one schema (oneOf). ${found}`), ...best);
      }
    }
    const { valid, failures } = triedAll(all, value, path);
    if (valid < all.length) {
      const none = valid === 0 ? ". None validated" : "";
      errors.push(...failures, whole(path, `must validate all the schemas (allOf)${none}`));
    }
    if (none !== undefined && failuresOf(none, value, path).length === 0)
      errors.push(whole(path, "must not validate the schema (not)"));
  };
}

/** An error of the value as a whole: it has no field of its own, only its path in the text. */
const whole = (path: string, detail: string): FieldError =>
  field.invalid("<nil>", "", `${JSON.stringify(path)} ${detail}`);

function failuresOf(check: Check, value: unknown, path: string): FieldError[] {
  const found: FieldError[] = [];
  check(value, path, found);
  return found;
}

/** How many of some alternatives accept a value, and what the one says that comes nearest, if none does. */
function tried(
  checks: readonly Check[],
  value: unknown,
  path: string,
  enough: boolean,
): { readonly valid: number; readonly best: readonly FieldError[] } {
  let valid = 0;
  let best: readonly FieldError[] | undefined;
  for (const check of checks) {
    const found = failuresOf(check, value, path);
    if (found.length === 0) {
      valid++;
      if (enough) break;
    } else if (best === undefined || found.length < best.length) best = found;
  }
  return { valid, best: valid > 0 ? [] : (best ?? []) };
}

/** All of allOf are tried, and their errors all reported: each says something to correct. */
function triedAll(
  checks: readonly Check[],
  value: unknown,
  path: string,
): { readonly valid: number; readonly failures: readonly FieldError[] } {
  let valid = 0;
  const failures: FieldError[] = [];
  for (const check of checks) {
    const found = failuresOf(check, value, path);
    if (found.length === 0) valid++;
    else failures.push(...found);
  }
  return { valid, failures };
}
