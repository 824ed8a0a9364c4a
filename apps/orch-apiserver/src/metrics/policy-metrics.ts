import type { Metrics } from "@orchernetes/component";

/** What a policy's validation did to a write. */
type Enforcement = "allow" | "deny" | "audit" | "warn";

/** Counts what validating admission policies do. */
export interface PolicyMetrics {
  /** A policy that was not known before. */
  readonly defined: () => void;
  readonly checked: (policy: string, binding: string, enforcement: Enforcement, seconds: number) => void;
}

/** Metrics of validating admission policies. */
export function policyMetrics(metrics: Metrics): PolicyMetrics {
  const labelNames = ["policy", "policy_binding", "enforcement_action", "state"] as const;
  const definitions = metrics.counter({
    name: "apiserver_validating_admission_policy_definition_total",
    help: "Number of validating admission policies defined.",
    labelNames: ["state", "enforcement_action"],
  });
  const checks = metrics.counter({
    name: "apiserver_validating_admission_policy_check_total",
    help: "Number of validations that evaluated to false or failed, by policy, binding and enforcement action.",
    labelNames,
  });
  const durations = metrics.histogram({
    name: "apiserver_validating_admission_policy_check_duration_seconds",
    help: "Latency in seconds of validations that evaluated to false or failed, by policy, binding and enforcement action.",
    labelNames,
    buckets: [0.0000005, 0.001, 0.01, 0.1, 1],
  });
  return {
    defined: () => definitions.inc(["active", "deny"]),
    checked: (policy, binding, enforcement, seconds) => {
      const labels = [policy, binding, enforcement, "active"];
      checks.inc(labels);
      durations.with(...labels).observe(seconds);
    },
  };
}

/** Counts match conditions that failed: by the name of the object that has them, and the kind of its plugin. */
export function matchConditionFailures(metrics: Metrics): (name: string, type: string) => void {
  const failures = metrics.counter({
    name: "apiserver_admission_admission_match_condition_evaluation_errors_total",
    help: "Number of errors while evaluating match conditions, by the name of the object that defines them and the type of admission.",
    labelNames: ["name", "type"],
  });
  return (name, type) => failures.inc([name, type]);
}
