import type { AdmissionObserver, ApiMetrics } from "@orchernetes/apiserver";
import type { Histogram, Metrics } from "@orchernetes/component";

const buckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5];

/** Where admission is measured. */
export type AdmissionMetrics = Pick<ApiMetrics, "admissionStep" | "admissionPlugin">;

/** Times of admission: of both phases, and of each plugin. */
export function admissionMetrics(metrics: Metrics): AdmissionMetrics {
  const steps = metrics.histogram({
    name: "apiserver_admission_step_admission_duration_seconds",
    help: "Latency of an admission phase in seconds.",
    stability: "STABLE",
    labelNames: ["type", "operation", "rejected"],
    buckets,
  });
  const plugins = metrics.histogram({
    name: "apiserver_admission_controller_admission_duration_seconds",
    help: "Latency of an admission plugin in seconds.",
    stability: "STABLE",
    labelNames: ["name", "type", "operation", "rejected"],
    buckets,
  });
  const observer = (histogram: Histogram, ...labels: readonly string[]): AdmissionObserver => {
    // Made with the first observation: a series that never counted says nothing.
    let passed: ReturnType<Histogram["with"]> | undefined;
    let rejected: ReturnType<Histogram["with"]> | undefined;
    return (seconds, refused) => {
      if (refused) rejected ??= histogram.with(...labels, "true");
      else passed ??= histogram.with(...labels, "false");
      (refused ? rejected : passed)?.observe(seconds);
    };
  };
  return {
    admissionStep: (type, operation) => observer(steps, type, operation),
    admissionPlugin: (name, type, operation) => observer(plugins, name, type, operation),
  };
}
