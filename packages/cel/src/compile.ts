import { check } from "./checking/check.ts";
import type { Environment } from "./environment/environment.ts";
import { type Declarations, estimate } from "./estimate/estimate.ts";
import { parse } from "./language/parse.ts";
import { SourceError } from "./language/source.ts";
import type { Type } from "./language/types.ts";
import { constantFailure } from "./runtime/constants.ts";
import { type Program, program } from "./runtime/program.ts";

/**
 * Kubernetes' limits on the cost of expressions, in its units; a unit is some 50 ns there.
 *
 * There are two kinds. The estimate of a schema's rule is checked once, when the definition is written (KEP-2876): it assumes the largest
 * object that the schema allows. The actual cost is counted in each evaluation, and ends those that an estimate cannot foresee, for
 * example in policies, whose objects have no declared sizes (KEP-3488).
 */
export const costLimits = {
  /** Of one evaluation: some 50 ms. */
  call: 1_000_000,
  /** Of all evaluations for one object, so that many cheap rules cannot add up either: some 500 ms. */
  request: 10_000_000,
  /** Of all match conditions for one object (KEP-3716). They run before the webhook is called, for every request that its rules match. */
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
 * Compiles an expression: parses it, finds its types, estimates its cost and makes functions of it. All that can be known to be wrong
 * without values is found here, so that the author of a rule learns of it and not the users of the resource.
 *
 * @param declarations what its variables may hold, for the estimate
 * @returns the error message, in the form of cel-go's compiler, if the expression is invalid
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
