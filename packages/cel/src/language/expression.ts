import type { Scalar } from "../values/value.ts";
import type { Type } from "./types.ts";

/** What all parts of an expression have. */
interface Node {
  /** Position in the expression, in UTF-16 units. */
  readonly offset: number;
}

/**
 * A loop over a list or over a map's keys, as which all macros are read. `x.exists(v, p)` is the loop with the variable `v` over `x`, whose
 * accumulator is `initial` at first, becomes `step` for each item while `condition` holds, and makes the `result` at the end.
 */
export interface Fold extends Node {
  readonly kind: "fold";
  readonly variable: string;
  readonly accumulator: string;
  readonly range: Expression;
  readonly initial: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

/** A call of a function, a method (with a target) or an operator, whose name has its operands as underscores: `_+_`. */
export interface Call extends Node {
  readonly kind: "call";
  readonly name: string;
  readonly target: Expression | undefined;
  readonly args: readonly Expression[];
}

/** `operand.field`, or `has(operand.field)`. */
export interface Select extends Node {
  readonly kind: "select";
  readonly operand: Expression;
  readonly field: string;
  /** Only whether the field is there. */
  readonly test: boolean;
}

/** A parsed expression. */
export type Expression =
  | (Node & { readonly kind: "constant"; readonly value: Scalar; readonly type: Type })
  | (Node & { readonly kind: "identifier"; readonly name: string })
  | Select
  | Call
  | (Node & { readonly kind: "list"; readonly items: readonly Expression[] })
  | (Node & { readonly kind: "map"; readonly entries: readonly (readonly [Expression, Expression])[] })
  | (Node & { readonly kind: "message"; readonly name: string })
  | Fold;
