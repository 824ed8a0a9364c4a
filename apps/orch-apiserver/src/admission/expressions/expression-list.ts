import {
  type AdmissionResult,
  type AdmissionVariables,
  admissionEnvironment,
  type CompiledExpression,
  compileAdmission,
  Failure,
  type Value,
} from "@orchernetes/cel";
import { systemEventLoop } from "@orchernetes/kernel";
import type { ExpressionMetrics } from "../../metrics/expression-metrics.ts";
import type { ExpressionInput } from "./expression-input.ts";

/** An expression, and what it must evaluate to. */
export interface ExpressionSource {
  readonly expression: string;
  readonly result: AdmissionResult;
}

/** What an expression of a list evaluated to. */
export type ExpressionOutcome = { readonly seconds: number } & (
  | { readonly value: Value }
  /** Why it has no value. */
  | { readonly error: string }
);

/** What a list evaluated to; an error is about the list as a whole. */
export type ListOutcome =
  | {
      /** In the order of the list; undefined where it has no expression. */
      readonly outcomes: readonly (ExpressionOutcome | undefined)[];
      /** What is left of the budget. */
      readonly remaining: number;
    }
  | { readonly error: string };

/** After expressions that took longer together, other requests get their turn. */
const turnMs = 5;

/** The error of a list whose expressions cost more than they may together. */
const budgetExhausted = "validation failed due to running out of cost budget, no further validation rules will be run";

interface Entry {
  readonly source: ExpressionSource;
  readonly compiled: CompiledExpression | string;
}

/** Expressions that are compiled once, and evaluated in order within one budget. */
export class ExpressionList {
  readonly #entries: readonly (Entry | undefined)[];
  readonly #metrics: ExpressionMetrics | undefined;

  /** @param sources undefined ones keep the place of an expression that is not there */
  constructor(
    sources: readonly (ExpressionSource | undefined)[],
    variables: AdmissionVariables,
    metrics?: ExpressionMetrics,
  ) {
    this.#metrics = metrics;
    const scope = admissionEnvironment(variables);
    this.#entries = sources.map((source) => {
      if (source === undefined) return undefined;
      const start = performance.now();
      const compiled = compileAdmission(source.expression, source.result, scope);
      metrics?.compiled((performance.now() - start) / 1000);
      return { source, compiled };
    });
  }

  /** Evaluates every expression. One that fails does not keep the others from being evaluated, one that spends too much does. */
  async evaluate(input: ExpressionInput, budget: number): Promise<ListOutcome> {
    let remaining = budget;
    let turnEndsMs = performance.now() + turnMs;
    const outcomes: (ExpressionOutcome | undefined)[] = [];
    for (const entry of this.#entries) {
      if (entry === undefined) {
        outcomes.push(undefined);
        continue;
      }
      const { source, compiled } = entry;
      if (typeof compiled === "string") {
        outcomes.push({ error: `compilation error: ${compiled}`, seconds: 0 });
        continue;
      }
      const start = performance.now();
      const { outcome, cost } = await input.evaluate(compiled, remaining);
      const seconds = (performance.now() - start) / 1000;
      this.#metrics?.evaluated(seconds);
      if (cost > remaining) return { error: budgetExhausted };
      remaining -= cost;
      outcomes.push(
        outcome instanceof Failure
          ? { error: `expression '${source.expression}' resulted in error: ${outcome.message}`, seconds }
          : { value: outcome, seconds },
      );
      if (performance.now() > turnEndsMs) {
        await systemEventLoop.nextTurn();
        turnEndsMs = performance.now() + turnMs;
      }
    }
    return { outcomes, remaining };
  }
}
