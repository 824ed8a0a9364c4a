import type { Metrics } from "@orchernetes/component";

/** Measures expressions (CEL), in seconds. */
export interface ExpressionMetrics {
  readonly compiled: (seconds: number) => void;
  readonly evaluated: (seconds: number) => void;
}

/** Times of expressions: those of policies, of match conditions and of the rules of custom resources. */
export function expressionMetrics(metrics: Metrics): ExpressionMetrics {
  const compilation = metrics.histogram({
    name: "apiserver_cel_compilation_duration_seconds",
    help: "Time to compile an expression, in seconds.",
  });
  const evaluation = metrics.histogram({
    name: "apiserver_cel_evaluation_duration_seconds",
    help: "Time to evaluate an expression, in seconds.",
  });
  return {
    compiled: (seconds) => compilation.observe(seconds),
    evaluated: (seconds) => evaluation.observe(seconds),
  };
}
