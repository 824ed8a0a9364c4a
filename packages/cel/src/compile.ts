import { check } from "./checking/check.ts";
import type { Environment } from "./environment/environment.ts";
import { type Declarations, estimate } from "./estimate/estimate.ts";
import { parse } from "./language/parse.ts";
import { SourceError } from "./language/source.ts";
import type { Type } from "./language/types.ts";
import { constantFailure } from "./runtime/constants.ts";
import { type Program, program } from "./runtime/program.ts";

/** Limits of Kubernetes on what expressions cost, in its units; a unit is some 50 ns there. */
export const costLimits = {
  /** Of one evaluation. */
  call: 1_000_000,
  /** Of all evaluations for one object. */
  request: 10_000_000,
  /** Of all match conditions for one object. */
  matchConditions: 2_500_000,
  /** What one expression of a schema is estimated to cost at most. */
  expression: 10_000_000,
  /** What all expressions of a schema are estimated to cost at most. */
  schema: 100_000_000,
} as const;

/** An expression that is valid in its environment. */
export interface CompiledExpression extends Program {
  readonly type: Type;
  /** The variables it reads. */
  readonly references: ReadonlySet<string>;
  /** What an evaluation is estimated to cost at most. */
  readonly maxCost: number;
}

/** How the text of {@link compile} begins for an expression that is valid, and fails whatever its variables are. */
export const instantiationFailed = "program instantiation failed: ";

/**
 * Compiles an expression.
 *
 * @param declarations what its variables may hold, for the estimate
 * @returns the text of what is wrong with it, in the form of the original's compiler, if anything is
 */
export function compile(
  source: string,
  environment: Environment,
  declarations: Declarations = new Map(),
): CompiledExpression | string {
  try {
    const checked = check(source, parse(source), environment);
    const failure = constantFailure(checked.expression);
    if (failure !== undefined) return instantiationFailed + failure;
    const { type, references } = checked;
    return { type, references, maxCost: estimate(checked, declarations).max, ...program(checked) };
  } catch (error) {
    if (error instanceof SourceError) return error.message;
    throw error;
  }
}
