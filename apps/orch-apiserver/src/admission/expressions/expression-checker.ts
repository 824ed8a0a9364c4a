import type { ExpressionChecker, ExpressionResult } from "@orchernetes/apimachinery";
import { admissionEnvironment, compileAdmission, dynType, type Type } from "@orchernetes/cel";
import type { ExpressionMetrics } from "../../metrics/expression-metrics.ts";

/** Checks the expressions of one object by compiling them as they are for an evaluation. */
class Checker implements ExpressionChecker {
  readonly #params: boolean;
  readonly #metrics: ExpressionMetrics | undefined;
  /** Undefined until the first expression with a name, so that those before it have no `variables`. */
  #composed: Map<string, Type> | undefined;

  constructor(params: boolean, metrics: ExpressionMetrics | undefined) {
    this.#params = params;
    this.#metrics = metrics;
  }

  check(expression: string, result: ExpressionResult, authorizer = true): string | undefined {
    const compiled = this.#compile(expression, result, authorizer);
    return typeof compiled === "string" ? compiled : undefined;
  }

  declare(name: string, expression: string): string | undefined {
    this.#composed ??= new Map();
    const compiled = this.#compile(expression, "any", true);
    this.#composed.set(name, typeof compiled === "string" ? dynType : compiled.type);
    return typeof compiled === "string" ? compiled : undefined;
  }

  #compile(expression: string, result: ExpressionResult, authorizer: boolean): ReturnType<typeof compileAdmission> {
    const start = performance.now();
    const params = this.#params ? dynType : undefined;
    const scope = admissionEnvironment({ params, authorizer, composed: this.#composed });
    const compiled = compileAdmission(expression, result, scope);
    this.#metrics?.compiled((performance.now() - start) / 1000);
    return compiled;
  }
}

/** Makes what checks the expressions of match conditions and policies when they are written. */
export const expressionChecker =
  (metrics?: ExpressionMetrics) =>
  (params: boolean): ExpressionChecker =>
    new Checker(params, metrics);
