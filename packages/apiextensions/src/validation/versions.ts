import type { apiextensions } from "@orchernetes/api";
import { type FieldError, type FieldPath, field, isDns1035Label } from "@orchernetes/apimachinery";
import { parseJsonPath } from "../schema/json-path.ts";
import { schemaOf } from "../schema/json-schema.ts";
import { structuralOf } from "../schema/structural.ts";
import { defaultErrors } from "./default-rules.ts";
import { schemaErrors, sizeErrors } from "./schema-rules.ts";
import { structuralErrors } from "./structural-rules.ts";

type Version = apiextensions.CustomResourceDefinitionVersion;

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
const longestWarning = 256;

/** What is wrong with one version of a definition. */
export function versionErrors(version: Version, path: FieldPath): readonly FieldError[] {
  const errors: FieldError[] = [];
  const messages = isDns1035Label(version.name);
  if (messages.length > 0) errors.push(field.invalid(path.child("name"), version.name, messages.join(",")));
  errors.push(...warningErrors(version, path.child("deprecationWarning")));
  const schema = schemaOf(version);
  const schemaPath = path.child("schema", "openAPIV3Schema");
  if (schema === undefined) errors.push(field.required(schemaPath, "schemas are required"));
  else errors.push(...wholeSchemaErrors(version, schema, schemaPath));
  errors.push(...subresourceErrors(version, path.child("subresources")));
  for (const [i, column] of (version.additionalPrinterColumns ?? []).entries())
    errors.push(...columnErrors(column, path.child("additionalPrinterColumns").index(i)));
  return errors;
}

/** Each check relies on the one before: sizes, then the form, then defaults, which are pruned by the schema. */
function wholeSchemaErrors(
  version: Version,
  schema: NonNullable<ReturnType<typeof schemaOf>>,
  path: FieldPath,
): readonly FieldError[] {
  const tooLarge = sizeErrors(schema, path);
  if (tooLarge.length > 0) return tooLarge;
  const found = [
    ...schemaErrors(schema, path, version.subresources?.status !== undefined),
    ...structuralErrors(schema, path),
  ];
  if (found.length > 0) return found;
  return defaultErrors(structuralOf(schema), path);
}

/** The warning is sent in a header of every response, so that it is short and printable. */
function warningErrors({ deprecated, deprecationWarning }: Version, path: FieldPath): readonly FieldError[] {
  if (deprecationWarning === undefined) return [];
  if (deprecated !== true) return [field.invalid(path, deprecationWarning, "can only be set for deprecated versions")];
  if (deprecationWarning === "") return [field.invalid(path, "", "must not be an empty string")];
  if (Buffer.byteLength(deprecationWarning) > longestWarning)
    return [field.tooLong(path, deprecationWarning, longestWarning)];
  const odd = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(deprecationWarning);
  if (odd === null) return [];
  const detail = `must only contain printable UTF-8 characters; non-printable character found at index ${odd.index}`;
  return [field.invalid(path, deprecationWarning, detail)];
}

/** Columns have the types and formats of OpenAPI, which clients use to align and to sort cells. */
function columnErrors(column: apiextensions.CustomResourceColumnDefinition, path: FieldPath): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (column.name === "") errors.push(field.required(path.child("name")));
  const must = `must be one of ${columnTypes.join(",")}`;
  if (column.type === "") errors.push(field.required(path.child("type"), must));
  else if (!columnTypes.includes(column.type)) errors.push(field.invalid(path.child("type"), column.type, must));
  if (column.format && !columnFormats.includes(column.format)) {
    const detail = `must be one of ${columnFormats.join(",")}`;
    errors.push(field.invalid(path.child("format"), column.format, detail));
  }
  const at = path.child("jsonPath");
  if (column.jsonPath === "") return [...errors, field.required(at)];
  errors.push(...simplePathErrors(column.jsonPath, at));
  return errors;
}

/** A path is parsed as it will be when a table is made, so that a column cannot fail later. */
function simplePathErrors(text: string, path: FieldPath): readonly FieldError[] {
  if (!text.startsWith(".") && !text.startsWith("["))
    return [field.invalid(path, text, "must be a simple json path starting with .")];
  const parsed = parseJsonPath(text);
  return "error" in parsed ? [field.invalid(path, text, `is an invalid JSON path: ${parsed.error}`)] : [];
}

/** Paths of the scale subresource are simple: the server also writes through them. */
function subresourceErrors({ subresources }: Version, path: FieldPath): readonly FieldError[] {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  const below = (text: string, at: FieldPath, roots: readonly string[]): readonly FieldError[] => {
    if (!/^(?:\.[^.[\]]+)+$/.test(text)) return [field.invalid(at, text, "must be a simple json path starting with .")];
    if (roots.some((root) => text.startsWith(`.${root}.`))) return [];
    const under = roots.map((root) => `.${root}`).join(" or ");
    return [field.invalid(at, text, `should be a json path under ${roots.length > 1 ? "either " : ""}${under}`)];
  };
  const one = (text: string, name: string, roots: readonly string[]): readonly FieldError[] => {
    const at = path.child("scale", name);
    return text === "" ? [field.required(at)] : below(text, at, roots);
  };
  const selector = scale.labelSelectorPath;
  return [
    ...one(scale.specReplicasPath, "specReplicasPath", ["spec"]),
    ...one(scale.statusReplicasPath, "statusReplicasPath", ["status"]),
    ...(selector ? below(selector, path.child("scale", "labelSelectorPath"), ["status", "spec"]) : []),
  ];
}
