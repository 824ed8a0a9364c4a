import { callLibrary } from "../values/library-call.ts";
import {
  atomic,
  Failure,
  type ListOrder,
  type ListValue,
  type MapValue,
  type Outcome,
  type Value,
} from "../values/value.ts";
import type { Declaration } from "./declaration.ts";

type Json = Readonly<Record<string, unknown>>;

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);

/** From so many members on, the names of an object are read once only. */
const manyMembers = 64;

/** The members of large objects, as long as a value is bound: expressions may ask for them again and again. */
class Members {
  #known: Map<Json, readonly string[]> | undefined;

  of(object: Json, read: (object: Json) => readonly string[]): readonly string[] {
    const known = this.#known?.get(object);
    if (known !== undefined) return known;
    const keys = read(object);
    if (keys.length >= manyMembers) {
      this.#known ??= new Map();
      this.#known.set(object, keys);
    }
    return keys;
  }
}

/** Reads a value of JSON as its schema declares it. What lies in it is read when it is asked for; nothing is written. */
export const bind = (value: unknown, declaration: Declaration): Outcome =>
  bindDeclared(value, declaration, new Members());

/** Reads a value of JSON that nothing is known of: whole numbers are integers. */
export const bindAny = (value: unknown): Outcome => bindUnknown(value, new Members());

function bindDeclared(value: unknown, declaration: Declaration, members: Members): Outcome {
  if (value === null || value === undefined) return null;
  const { type } = declaration;
  switch (type.kind) {
    case "dyn":
      return bindUnknown(value, members);
    case "int":
      return typeof value === "number" || typeof value === "bigint" ? integer(value) : unexpected(value, "an integer");
    case "double":
      return typeof value === "number" || typeof value === "bigint" ? Number(value) : unexpected(value, "a number");
    case "bool":
      return typeof value === "boolean" ? value : unexpected(value, "a boolean");
    case "list":
      return Array.isArray(value) ? new BoundList(value, declaration, members) : unexpected(value, "an array");
    case "map":
      return isJson(value) ? new BoundMap(value, declaration, members) : unexpected(value, "an object");
    case "object":
      return isJson(value) ? new BoundObject(value, declaration, members) : unexpected(value, "an object");
    default:
      return typeof value === "string" ? bindText(value, type.kind) : unexpected(value, "a string");
  }
}

/** Objects were validated before, but old ones may not fit a newer schema: that is a failure of the expression, not of the server. */
const unexpected = (value: unknown, expected: string): Failure =>
  new Failure(`invalid data, expected ${expected} but found ${Array.isArray(value) ? "array" : typeof value}`);

/** Integers of JSON beyond 2^53 come as bigint, and so are exact. */
function integer(value: number | bigint): Outcome {
  if (typeof value === "bigint") return value;
  return Number.isInteger(value)
    ? BigInt(value)
    : new Failure("invalid data, expected an integer but found a fraction");
}

/** A text by the type that its format gave it. */
function bindText(text: string, kind: string): Outcome {
  switch (kind) {
    case "bytes":
      return Uint8Array.from(Buffer.from(text, "base64"));
    case "duration":
      return converted("duration", inUnits(text));
    case "timestamp":
      return converted("timestamp", /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
    default:
      return text;
  }
}

/** Units beside those of the language that the format of schemas allows, as multiples of these; each also as a longer word. */
const units: readonly (readonly [form: RegExp, times: number, unit: string])[] = [
  [/^(?:ns|nano)/, 1, "ns"],
  [/^(?:us|µs|micro)/, 1, "us"],
  [/^(?:ms|milli)/, 1, "ms"],
  [/^(?:s$|sec)/, 1, "s"],
  [/^(?:m$|min)/, 1, "m"],
  [/^(?:h$|hr|hour)/, 1, "h"],
  [/^(?:d$|day)/, 24, "h"],
  [/^(?:w$|wk|week)/, 168, "h"],
];

/** A length of time such as `3 days` in the language's own units; other texts as they are. */
function inUnits(text: string): string {
  const [, digits = "", word = ""] = /^(\d{1,15}) ?([a-zµ]+)$/.exec(text) ?? [];
  const found = units.find(([form]) => form.test(word));
  return found === undefined ? text : `${BigInt(digits) * BigInt(found[1])}${found[2]}`;
}

/** A time or duration from its text, which the format of the schema has validated; a failure if it is none after all. */
function converted(name: string, text: string): Outcome {
  const value = callLibrary(name, undefined, [text]);
  return value instanceof Failure ? new Failure(`invalid data, cannot parse ${name} "${text}"`) : value;
}

/** A list of JSON, seen through its declaration. Items are converted when they are read: most rules read few of them. */
class BoundList implements ListValue {
  readonly kind = "list";
  readonly size: number;
  readonly order: ListOrder;
  readonly #items: readonly unknown[];
  readonly #element: Declaration | undefined;
  readonly #members: Members;

  constructor(items: readonly unknown[], { element, order = atomic }: Declaration, members: Members) {
    this.size = items.length;
    this.order = order;
    this.#items = items;
    this.#element = element;
    this.#members = members;
  }

  at(index: number): Outcome {
    return bindElement(this.#items[index], this.#element, this.#members);
  }
}

const bindElement = (value: unknown, element: Declaration | undefined, members: Members): Outcome =>
  element === undefined ? bindUnknown(value, members) : bindDeclared(value, element, members);

/** Whether an object has a member; one that is undefined is not there, as in the JSON that it becomes. */
const hasMember = (object: Json, key: string): boolean => Object.hasOwn(object, key) && object[key] !== undefined;

const definedKeys = (object: Json): readonly string[] => Object.keys(object).filter((key) => object[key] !== undefined);

/** An object of JSON with arbitrary members. An inherited one, such as `constructor`, is not there. */
class BoundMap implements MapValue {
  readonly kind = "map";
  readonly #object: Json;
  readonly #element: Declaration | undefined;
  readonly #members: Members;

  constructor(object: Json, { element }: Declaration, members: Members) {
    this.#object = object;
    this.#element = element;
    this.#members = members;
  }

  get size(): number {
    return this.keys().length;
  }

  get(key: Value): Outcome | undefined {
    if (typeof key !== "string" || !hasMember(this.#object, key)) return undefined;
    return bindElement(this.#object[key], this.#element, this.#members);
  }

  keys(): readonly string[] {
    return this.#members.of(this.#object, definedKeys);
  }
}

/** Fields that are null are absent, in contrast to items of lists and entries of maps. */
const hasField = (object: Json, key: string): boolean => hasMember(object, key) && object[key] !== null;

const noFields: NonNullable<Declaration["fields"]> = new Map();

/** An object with declared fields. Members that the schema does not declare cannot be read, and names are those of {@link escapeName}. */
class BoundObject implements MapValue {
  readonly kind = "map";
  readonly #object: Json;
  readonly #fields: NonNullable<Declaration["fields"]>;
  readonly #members: Members;

  constructor(object: Json, { fields = noFields }: Declaration, members: Members) {
    this.#object = object;
    this.#fields = fields;
    this.#members = members;
  }

  get size(): number {
    return this.keys().length;
  }

  get(key: Value): Outcome | undefined {
    const field = typeof key === "string" ? this.#fields.get(key) : undefined;
    return field === undefined || !hasField(this.#object, field.name)
      ? undefined
      : bindDeclared(this.#object[field.name], field.declaration, this.#members);
  }

  keys(): readonly string[] {
    return this.#members.of(this.#object, (object) => {
      const names: string[] = [];
      for (const [name, field] of this.#fields) if (hasField(object, field.name)) names.push(name);
      return names;
    });
  }
}

/** A value of type dyn. JSON has one type of number: whole ones are int, all others double. */
function bindUnknown(value: unknown, members: Members): Outcome {
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
  if (Array.isArray(value)) return new BoundList(value, anything, members);
  return isJson(value) ? new BoundMap(value, anything, members) : null;
}

/** The declaration of values inside of dynamic ones. */
const anything: Declaration = { type: { kind: "dyn" }, maxElements: 0, minSize: 0 };
