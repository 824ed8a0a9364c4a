import { callLibrary } from "../values/library-call.ts";
import { atomic, Failure, type ListValue, type MapValue, type Outcome } from "../values/value.ts";
import type { Declaration } from "./declaration.ts";

type Json = Readonly<Record<string, unknown>>;

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);

/** Reads a value of JSON as its schema declares it. What lies in it is read when it is asked for; nothing is written. */
export function bind(value: unknown, declaration: Declaration): Outcome {
  if (value === null || value === undefined) return null;
  const { type } = declaration;
  switch (type.kind) {
    case "dyn":
      return bindAny(value);
    case "int":
      return typeof value === "number" || typeof value === "bigint" ? integer(value) : unexpected(value, "an integer");
    case "double":
      return typeof value === "number" || typeof value === "bigint" ? Number(value) : unexpected(value, "a number");
    case "bool":
      return typeof value === "boolean" ? value : unexpected(value, "a boolean");
    case "list":
      return Array.isArray(value) ? bindList(value, declaration) : unexpected(value, "an array");
    case "map":
      return isJson(value) ? bindMap(value, declaration) : unexpected(value, "an object");
    case "object":
      return isJson(value) ? bindObject(value, declaration) : unexpected(value, "an object");
    default:
      return typeof value === "string" ? bindText(value, type.kind) : unexpected(value, "a string");
  }
}

const unexpected = (value: unknown, expected: string): Failure =>
  new Failure(`invalid data, expected ${expected} but found ${Array.isArray(value) ? "array" : typeof value}`);

function integer(value: number | bigint): Outcome {
  if (typeof value === "bigint") return value;
  return Number.isInteger(value)
    ? BigInt(value)
    : new Failure("invalid data, expected an integer but found a fraction");
}

function bindText(text: string, kind: string): Outcome {
  switch (kind) {
    case "bytes":
      return Uint8Array.from(Buffer.from(text, "base64"));
    case "duration":
      return converted("duration", text);
    case "timestamp":
      return converted("timestamp", /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
    default:
      return text;
  }
}

function converted(name: string, text: string): Outcome {
  const value = callLibrary(name, undefined, [text]);
  return value instanceof Failure ? new Failure(`invalid data, cannot parse ${name} "${text}"`) : value;
}

function bindList(items: readonly unknown[], { element, order }: Declaration): ListValue {
  return {
    kind: "list",
    size: items.length,
    at: (index) => (element === undefined ? bindAny(items[index]) : bind(items[index], element)),
    order: order ?? atomic,
  };
}

/** Whether an object has a member; one that is undefined is not there, as in the JSON that it becomes. */
const hasMember = (object: Json, key: string): boolean => Object.hasOwn(object, key) && object[key] !== undefined;

function bindMap(object: Json, { element }: Declaration): MapValue {
  const keys = (): readonly string[] => Object.keys(object).filter((key) => object[key] !== undefined);
  return {
    kind: "map",
    get size() {
      return keys().length;
    },
    get: (key) => {
      if (typeof key !== "string" || !hasMember(object, key)) return undefined;
      return element === undefined ? bindAny(object[key]) : bind(object[key], element);
    },
    keys,
  };
}

function bindObject(object: Json, { fields = new Map() }: Declaration): MapValue {
  const keys = (): readonly string[] =>
    [...fields].flatMap(([name, field]) => (hasMember(object, field.name) ? [name] : []));
  return {
    kind: "map",
    get size() {
      return keys().length;
    },
    get: (key) => {
      const field = typeof key === "string" ? fields.get(key) : undefined;
      return field === undefined || !hasMember(object, field.name)
        ? undefined
        : bind(object[field.name], field.declaration);
    },
    keys,
  };
}

/** Reads a value of JSON that nothing is known of: whole numbers are integers. */
export function bindAny(value: unknown): Outcome {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "bigint":
      return value;
    case "number":
      return Number.isSafeInteger(value) ? BigInt(value) : value;
    default:
      break;
  }
  if (Array.isArray(value)) return bindList(value, anything);
  return isJson(value) ? bindMap(value, anything) : null;
}

const anything: Declaration = { type: { kind: "dyn" }, maxElements: 0, minSize: 0 };
