/**
 * The language message specs are written in.
 *
 * Besides protobuf scalars, enum and message names, there are:
 * - `nanos`: an int64 of nanoseconds since the epoch, held as `bigint` (it does not fit a number);
 * - `Int64Value`, `UInt64Value`: the wrapper messages, held as `number | undefined`;
 * - `map`: `map<string, string>`;
 * - a leading `[]`: repeated.
 *
 * Every other 64 bit integer is a `number`; values beyond ±2^53 lose precision.
 *
 * @module
 */

/** Type of a field in the language above. */
type FieldType = string;

/** Wire number and type of a field. */
export type FieldSpec = readonly [number: number, type: FieldType];

/** Spec of message `T`: the compiler checks that it names every field of the interface and no other. */
export type MessageSpec<T> = { readonly [K in keyof T]-?: FieldSpec };

/**
 * `T` as a caller writes it: every field may be left out, at every depth. Absent means the zero value, as proto3 has it.
 */
export type Init<T> = T extends bigint | number | string | boolean | Uint8Array | undefined
  ? T
  : T extends (infer E)[]
    ? readonly Init<E>[]
    : string extends keyof T
      ? Readonly<T>
      : { readonly [K in keyof T]?: Init<T[K]> | undefined };
