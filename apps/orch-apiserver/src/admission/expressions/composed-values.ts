import {
  type CompiledExpression,
  costLimits,
  Failure,
  type MapValue,
  type Outcome,
  type Value,
} from "@orchernetes/cel";

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
    let value = this.#known.get(key);
    if (value === undefined) {
      value = this.#evaluate(key, compiled);
      this.#known.set(key, value);
    }
    return value;
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

  #evaluate(name: string, compiled: CompiledExpression | string): Outcome {
    if (typeof compiled === "string")
      return new Failure(`composited variable ${JSON.stringify(name)} fails to compile: ${compiled}`);
    const limit = Math.min(costLimits.call, this.#allowance - this.#cost);
    const { outcome, cost } = compiled.evaluate(this.#inputs, limit);
    this.#cost += cost;
    return outcome instanceof Failure
      ? new Failure(`composited variable ${JSON.stringify(name)} fails to evaluate: ${outcome.message}`)
      : outcome;
  }
}
