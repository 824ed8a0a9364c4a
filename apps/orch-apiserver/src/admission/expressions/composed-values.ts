import {
  type CompiledExpression,
  CostError,
  costLimits,
  type Evaluation,
  Failure,
  InterruptedError,
  type MapValue,
  type Outcome,
  type Value,
} from "@orchernetes/cel";
import type { InterruptibleSteps } from "@orchernetes/kernel";

/** The expressions of a policy's variables by name, compiled; a text says what is wrong with one. */
export type ComposedExpressions = ReadonlyMap<string, CompiledExpression | string>;

/** The variable `variables`: each of its fields is evaluated when an expression reads it first. */
export class ComposedValues implements MapValue {
  readonly kind = "map";
  readonly #expressions: ComposedExpressions;
  readonly #inputs: ReadonlyMap<string, Outcome>;
  readonly #known = new Map<string, Outcome>();
  #allowance = 0;
  #cost = 0;

  /** @param inputs what the expressions read, these values among them */
  constructor(expressions: ComposedExpressions, inputs: ReadonlyMap<string, Outcome>) {
    this.#expressions = expressions;
    this.#inputs = inputs;
  }

  get size(): number {
    return this.#expressions.size;
  }

  get(key: Value): Outcome | undefined {
    const compiled = typeof key === "string" ? this.#expressions.get(key) : undefined;
    if (typeof key !== "string" || compiled === undefined) return undefined;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (typeof compiled === "string") return notCompiled(key, compiled);
    const evaluation = compiled.evaluateQuickly(this.#inputs, this.#limit);
    // The expression that reads it is to be evaluated in steps.
    if (evaluation === undefined) throw new CostError();
    return this.#keep(key, evaluation);
  }

  *compute(key: string): InterruptibleSteps<void> {
    const compiled = this.#expressions.get(key);
    if (compiled === undefined || typeof compiled === "string" || this.#known.has(key)) return;
    const evaluation =
      compiled.evaluateQuickly(this.#inputs, this.#limit) ??
      (yield* compiled.evaluateInSteps(this.#inputs, this.#limit));
    if (evaluation.interrupted === true) throw new InterruptedError();
    this.#keep(key, evaluation);
  }

  keys(): readonly Value[] {
    return [...this.#expressions.keys()];
  }

  /** Lets the fields cost as much, together, until the next call. */
  allow(cost: number): void {
    this.#allowance = cost;
    this.#cost = 0;
  }

  /** What fields have cost since they were allowed to. */
  get cost(): number {
    return this.#cost;
  }

  /** Evaluates again what failed, since something is known now that was not. */
  forgetFailures(): void {
    for (const [name, value] of this.#known) if (value instanceof Failure) this.#known.delete(name);
  }

  get #limit(): number {
    return Math.min(costLimits.call, this.#allowance - this.#cost);
  }

  #keep(name: string, { outcome, cost }: Evaluation): Outcome {
    this.#cost += cost;
    const value =
      outcome instanceof Failure
        ? new Failure(`composited variable ${JSON.stringify(name)} fails to evaluate: ${outcome.message}`)
        : outcome;
    this.#known.set(name, value);
    return value;
  }
}

const notCompiled = (name: string, error: string): Failure =>
  new Failure(`composited variable ${JSON.stringify(name)} fails to compile: ${error}`);
