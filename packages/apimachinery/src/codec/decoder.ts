import type { MessageSchema } from "../schema/index.ts";
import { compile, type DecodeState } from "./compile.ts";
import { DecodeError } from "./decode-error.ts";
import { explain } from "./explain.ts";

/** Options of {@link Decoder.decode}. */
export interface DecodeOptions {
  /** Called with the path of each field that the schema does not have, such as `spec.containers[0].foo`. */
  readonly onUnknown?: (path: string) => void;
}

/** Reads plain JSON values as `T`. */
export interface Decoder<T> {
  /**
   * Checks types and converts the value to canonical form:
   * - fields in schema order, map keys sorted, unknown fields dropped;
   * - nulls dropped, in lists and maps replaced by the zero value;
   * - `optional` fields dropped when empty, `pointer` fields kept, `required` and `value` fields always present: "",
   *   0, false, `[]`, `{}`, a struct with its own such fields, and null for times, bytes and fields marked `pointer`.
   *   So an absent `metadata.creationTimestamp` is null in the result;
   * - quantities canonical, times in UTC with whole seconds, base64 and integer ranges checked.
   *
   * Equal objects so have equal bytes, which lets a write without a change be recognized by comparing bytes.
   *
   * The input is not changed; `raw` and `json` values are shared with it.
   *
   * @throws DecodeError with the first error and its path
   */
  decode(input: unknown, options?: DecodeOptions): T;
}

const decoders = new WeakMap<MessageSchema, Decoder<unknown>>();

/** The decoder of a schema. It is compiled once, on first use. */
export function decoderFor<T>(schema: MessageSchema<T>): Decoder<T> {
  const known = decoders.get(schema);
  if (known !== undefined) {
    return known as Decoder<T>;
  }
  const made = makeDecoder(schema);
  decoders.set(schema, made);
  return made;
}

function makeDecoder<T>(schema: MessageSchema<T>): Decoder<T> {
  const decode = compile(schema);
  return {
    decode: (input, options) => {
      const state: DecodeState = { unknown: false };
      try {
        const result = decode(input, state);
        if (state.unknown && options?.onUnknown !== undefined) {
          explain(schema, input, { onUnknown: options.onUnknown });
        }
        // The schema is what T was inferred from, and decode built the value by it.
        return result as T;
      } catch (error) {
        throw located(schema, input, error);
      }
    },
  };
}

/** The error with its place, which a second, slower walk finds. */
function located(schema: MessageSchema, input: unknown, error: unknown): unknown {
  if (input === null || input === undefined) {
    return new DecodeError(`json: cannot unmarshal null into Go value of type ${schema.name}`);
  }
  try {
    explain(schema, input);
  } catch (error) {
    return error;
  }
  return error instanceof Error ? new DecodeError(error.message, "", { cause: error }) : error;
}

/**
 * Canonical form of an object that code assembled or changed (defaults, strategies); see {@link Decoder.decode}.
 * Members that are undefined are absent.
 *
 * @throws DecodeError if it does not fit the schema
 */
export function canonicalize<T>(schema: MessageSchema<T>, object: unknown): T {
  return decoderFor(schema).decode(object);
}

/** The JSON bytes of an object in canonical form. */
export function encodeJson<T>(schema: MessageSchema<T>, object: T): Buffer {
  return Buffer.from(JSON.stringify(canonicalize(schema, object)));
}
