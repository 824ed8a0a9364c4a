import { messageOf } from "@orchernetes/kernel";
import type { CustomJson, Field, MessageSchema, Schema } from "../schema/index.ts";
import { DecodeError } from "./decode-error.ts";
import { scalarDecoders, TypeMismatch } from "./scalars.ts";

/** Callbacks of {@link explain} during its walk. */
export interface Findings {
  /** Called for each field that the schema does not have, in document order. */
  readonly onUnknown?: ((path: string) => void) | undefined;
}

/**
 * The current place of the walk. `struct` and `fields` are for type errors, whose text is that of Go's encoding/json:
 * the struct's name and the path without indices.
 */
interface Place {
  readonly path: string;
  readonly struct: string;
  readonly fields: string;
}

/**
 * The slow counterpart of the compiled decoder: it walks the same input by the same schema, reports unknown fields by path, and throws
 * the first error with its place. It only runs when the decoder has found something wrong, so that valid input costs no paths.
 *
 * @throws DecodeError
 */
export function explain(schema: Schema, value: unknown, findings: Findings = {}): void {
  walk(schema, value, { path: "", struct: "", fields: "" }, findings);
}

function walk(schema: Schema, value: unknown, place: Place, findings: Findings): void {
  if (value === null || value === undefined) {
    return;
  }
  switch (schema.kind) {
    case "message":
      walkMessage(schema, value, place, findings);
      return;
    case "list":
      if (!Array.isArray(value)) {
        throw wrongType(schema, value, place);
      }
      for (const [i, item] of value.entries()) {
        walk(schema.item, item, { ...place, path: `${place.path}[${i}]` }, findings);
      }
      return;
    case "map":
      for (const [key, item] of entriesOf(schema, value, place)) {
        walk(schema.value, item, { ...place, path: join(place.path, key), fields: join(place.fields, key) }, findings);
      }
      return;
    default:
      try {
        scalarDecoders[schema.kind](value);
      } catch (error) {
        if (error instanceof TypeMismatch) {
          throw wrongType(schema, value, place);
        }
        throw new DecodeError(messageOf(error), place.path, { cause: error });
      }
  }
}

function walkMessage(schema: MessageSchema, value: unknown, place: Place, findings: Findings): void {
  if (schema.custom !== undefined) {
    walkCustom(schema.custom, value, place, findings);
    return;
  }
  const fields: Readonly<Record<string, Field>> = schema.fields();
  for (const [key, item] of entriesOf(schema, value, place)) {
    const path = join(place.path, key);
    const field = fieldNamed(schema, fields, key);
    if (field === undefined) {
      findings.onUnknown?.(path);
    } else {
      walk(field.schema, item, { path, struct: schema.name, fields: join(place.fields, key) }, findings);
    }
  }
}

/** The field of a key, also by an alternative spelling. */
function fieldNamed(
  { aliases }: MessageSchema,
  fields: Readonly<Record<string, Field>>,
  key: string,
): Field | undefined {
  if (Object.hasOwn(fields, key)) return fields[key];
  return aliases !== undefined && Object.hasOwn(aliases, key) ? fields[aliases[key] ?? ""] : undefined;
}

function walkCustom(custom: CustomJson, value: unknown, place: Place, findings: Findings): void {
  const { onUnknown } = findings;
  try {
    custom.decode(value, {
      nested: (schema, part) => {
        walk(schema, part, place, findings);
        return part;
      },
      onUnknown: (path) => onUnknown?.(join(place.path, path())),
    });
  } catch (error) {
    if (!(error instanceof DecodeError) || error.path !== "" || place.path === "") throw error;
    throw new DecodeError(error.message, place.path, { cause: error });
  }
}

const join = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`);

function entriesOf(schema: Schema, value: unknown, place: Place): readonly [string, unknown][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw wrongType(schema, value, place);
  }
  return Object.entries(value);
}

/**
 * The error of a value of the wrong type, in Go's words: `json: cannot unmarshal string into Go struct field
 * PodSpec.spec.containers of type []v1.Container`.
 */
function wrongType(schema: Schema, value: unknown, place: Place): DecodeError {
  const type = typeName(schema);
  const target =
    place.struct === ""
      ? `Go value of type ${type}`
      : `Go struct field ${place.struct}.${place.fields} of type ${type}`;
  return new DecodeError(`json: cannot unmarshal ${found(value)} into ${target}`, place.path);
}

function found(value: unknown): string {
  if (Array.isArray(value)) {
    return "array";
  }
  switch (typeof value) {
    case "number":
      return Number.isInteger(value) && Number.isSafeInteger(value) ? `number ${value}` : `number ${String(value)}`;
    case "bigint":
      return `number ${value}`;
    case "boolean":
      return "bool";
    default:
      return typeof value;
  }
}

const scalarNames: Readonly<Partial<Record<Schema["kind"], string>>> = {
  bytes: "[]uint8",
  double: "float64",
  number: "float64",
  quantity: "resource.Quantity",
  time: "v1.Time",
  microTime: "v1.MicroTime",
  duration: "v1.Duration",
  intOrString: "intstr.IntOrString",
  raw: "runtime.RawExtension",
  json: "interface {}",
};

function typeName(schema: Schema): string {
  switch (schema.kind) {
    case "message":
      return `${schema.pkg.slice(schema.pkg.lastIndexOf("/") + 1)}.${schema.name}`;
    case "list":
      return `[]${typeName(schema.item)}`;
    case "map":
      return `map[string]${typeName(schema.value)}`;
    default:
      return scalarNames[schema.kind] ?? schema.kind;
  }
}
