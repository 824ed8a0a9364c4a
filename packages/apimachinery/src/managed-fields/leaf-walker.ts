import { compile } from "../codec/compile.ts";
import { scalarDecoders, TypeMismatch } from "../codec/scalars.ts";
import { equalJson } from "../patch/json-value.ts";
import type { ScalarKind, Schema } from "../schema/index.ts";
import { leaf } from "./field-set.ts";
import { describeValue, TypedError, type Walker } from "./walker.ts";

const expected: Readonly<Record<ScalarKind, string>> = {
  string: "string",
  bool: "boolean",
  int32: "numeric (int or float)",
  int64: "numeric (int or float)",
  uint32: "numeric (int or float)",
  double: "numeric (int or float)",
  number: "numeric (int or float)",
  bytes: "string",
  quantity: "quantity",
  time: "string",
  microTime: "string",
  duration: "string",
  intOrString: "integer or string",
  raw: "map",
  json: "value",
};

const nameOf = (schema: Schema): string =>
  schema.kind === "list" ? "list" : schema.kind === "map" || schema.kind === "message" ? "map" : expected[schema.kind];

/** The walker of a scalar, or of a list, map or struct that is owned as a whole. */
export function leafWalker(schema: Schema): Walker {
  return {
    whole: () => leaf,
    compare: (before, after, out) => {
      out.removed = undefined;
      return before === after || equalJson(before, after) ? undefined : leaf;
    },
    applied: () => leaf,
    merge: (_live, patch) => patch,
    prune: (value) => value,
    typed: (value, path) => (value === null ? null : decode(schema, value, path)),
  };
}

function decode(schema: Schema, value: unknown, path: string): unknown {
  const state = { unknown: false };
  let decoded: unknown;
  try {
    const decoder =
      schema.kind === "list" || schema.kind === "map" || schema.kind === "message"
        ? compile(schema)
        : scalarDecoders[schema.kind];
    decoded = decoder(value, state);
  } catch (error) {
    if (error instanceof TypeMismatch || !(error instanceof Error)) {
      throw new TypedError(path, `expected ${nameOf(schema)}, got ${describeValue(value)}`);
    }
    throw new TypedError(path, `expected ${nameOf(schema)}, got ${describeValue(value)}: ${error.message}`);
  }
  if (state.unknown) throw new TypedError(path, `${describeValue(value)} has a field that is not declared in schema`);
  return decoded;
}
