import type { CelUint, CelValue } from "@bufbuild/cel";
import type { InterruptibleSteps } from "@orchernetes/kernel";

/** A point in time or a length of time, as the library has them. */
export type TimeValue = Extract<CelValue, { readonly message: unknown }>;

/** Values that hold no others. */
export type Scalar = null | boolean | bigint | number | string | Uint8Array | CelUint;

/** A list; its items are made when they are read. */
export interface ListValue {
  readonly kind: "list";
  readonly size: number;
  at(index: number): Outcome;
  /** How two lists are equal and what is the sum of them: by order, as sets, or by the keys of their items. */
  readonly order: ListOrder;
}

/** The list types of Kubernetes (`x-orchernetes-list-type`), by which lists are compared and added. */
export type ListOrder =
  | { readonly kind: "atomic" }
  | { readonly kind: "set" }
  | { readonly kind: "map"; readonly keys: readonly string[] };

export const atomic: ListOrder = { kind: "atomic" };

/** A map or an object; its values are made when they are read. */
export interface MapValue {
  readonly kind: "map";
  readonly size: number;
  /** The value of a key; undefined if there is none. */
  get(key: Value): Outcome | undefined;
  keys(): readonly Value[];
  /** Makes the value of a key known, if that takes long otherwise. */
  compute?(key: string): InterruptibleSteps<void>;
}

/** A value of a type that only functions know. */
export interface OpaqueValue {
  readonly kind: "opaque";
  readonly type: string;
  /** For its equality. */
  readonly text: string;
  readonly content: unknown;
}

/** A type as a value: the result of `type(x)`, or the name of a type in an expression. */
export interface TypeValue {
  readonly kind: "type";
  readonly name: string;
}

/** What an expression reads and computes. It holds no object of the caller's: what is inside is reached through these methods only. */
export type Value = Scalar | TimeValue | ListValue | MapValue | OpaqueValue | TypeValue;

/**
 * The reason why an operation failed, for example a division by zero. It is returned, not thrown: `||` and `&&` go on beside a failed
 * operand, and loops may meet very many, each of which would cost a stack trace.
 */
export class Failure {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** The result of an operation. */
export type Outcome = Value | Failure;

/** An expression was stopped because it costs more than it may. It is thrown, since no operator may go on after it. */
export class CostError extends Error {
  override readonly name = "CostError";

  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
}

/** An expression was stopped because nobody waits for its result any more. */
export class InterruptedError extends Error {
  override readonly name = "InterruptedError";

  constructor() {
    super("operation interrupted");
  }
}

/** Distinguishes this package's own values by their `kind`, which no value of the library has. */
const hasKind = (value: Value, kind: string): boolean =>
  typeof value === "object" && value !== null && "kind" in value && value.kind === kind;

export const isList = (value: Value): value is ListValue => hasKind(value, "list");
export const isMap = (value: Value): value is MapValue => hasKind(value, "map");
export const isOpaque = (value: Value): value is OpaqueValue => hasKind(value, "opaque");
export const isTypeValue = (value: Value): value is TypeValue => hasKind(value, "type");

const nanosPerSecond = 1_000_000_000n;

/** The nanoseconds of a length of time; undefined for other values. */
export function nanosOfDuration(value: Value): bigint | undefined {
  if (!isTime(value) || value.message.$typeName !== "google.protobuf.Duration") return undefined;
  const { seconds, nanos } = value.message as unknown as { readonly seconds: bigint; readonly nanos: number };
  return seconds * nanosPerSecond + BigInt(nanos);
}

export const isTime = (value: Value): value is TimeValue =>
  typeof value === "object" && value !== null && "message" in value;

class ArrayList implements ListValue {
  readonly kind = "list";
  readonly size: number;
  readonly order: ListOrder;
  /** May be longer than the list: a list that was made from this one by appending shares the array. */
  readonly #items: Value[];

  constructor(items: Value[], order: ListOrder) {
    this.#items = items;
    this.size = items.length;
    this.order = order;
  }

  at(index: number): Outcome {
    return this.#items[index] ?? null;
  }

  /**
   * A list with more items, over the same array if nothing was appended before. `map` and `filter` append one item at a time: copying each
   * time would make them quadratic, while their cost is linear.
   */
  append(items: readonly Value[]): ArrayList {
    const own = this.#items.length === this.size ? this.#items : this.#items.slice(0, this.size);
    for (const item of items) own.push(item);
    return new ArrayList(own, this.order);
  }
}

/** A list of values that are there already. The array belongs to the list from now on. */
export function listValue(items: Value[], order: ListOrder = atomic): ListValue {
  return new ArrayList(items, order);
}

/** Longer lists are not copied to the end of others. */
const copied = 64;

/** A list and after it another one. */
export function concatenate(a: ListValue, b: ListValue): ListValue | Failure {
  if (!(a instanceof ArrayList) || b.size > copied) return new JoinedList(a, b);
  const items: Value[] = [];
  for (const item of itemsOf(b)) {
    if (item instanceof Failure) return item;
    items.push(item);
  }
  return a.append(items);
}

/** Two lists as one, whose items stay where they are. */
class JoinedList implements ListValue {
  readonly kind = "list";
  readonly size: number;
  readonly order = atomic;
  readonly #first: ListValue;
  readonly #second: ListValue;

  constructor(first: ListValue, second: ListValue) {
    this.#first = first;
    this.#second = second;
    this.size = first.size + second.size;
  }

  at(index: number): Outcome {
    const second = index - this.#first.size;
    return second < 0 ? this.#first.at(index) : this.#second.at(second);
  }
}

export function* itemsOf(list: ListValue): Generator<Outcome> {
  for (let i = 0; i < list.size; i++) yield list.at(i);
}

/** Texts longer than this are measured in UTF-16 units: counting their characters would take longer than what is charged for. */
const counted = 1000;

/** The number of characters, bytes or entries of a value, as costs count it; 1 for others. */
export function sizeOf(value: Value): number {
  if (typeof value === "string") return value.length > counted ? value.length : characters(value);
  if (value instanceof Uint8Array) return value.length;
  if (isList(value) || isMap(value)) return value.size;
  return 1;
}

/** The number of code points of a text. */
export function characters(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff) {
      const next = text.charCodeAt(i + 1);
      if (next >= 0xdc00 && next <= 0xdfff) {
        count--;
        i++;
      }
    }
  }
  return count;
}
