import type { ApiMetrics, Tracer } from "../interfaces/index.ts";
import type { AdmissionMeter } from "../registry/admission-calls.ts";
import type { AdmissionDecorator } from "../registry/admission-chain.ts";

/**
 * Measures each plugin, and each phase as a whole.
 *
 * @param nowMs reads a clock that never runs backwards, in milliseconds @default that of the system
 */
export function admissionMeter(
  metrics: Pick<ApiMetrics, "admissionStep" | "admissionPlugin">,
  nowMs: () => number = () => performance.now(),
): AdmissionMeter {
  return {
    of: (phase, operation, plugins) => ({
      nowMs,
      phase: metrics.admissionStep(phase, operation),
      plugins: plugins.map((name) => metrics.admissionPlugin(name, phase, operation)),
    }),
  };
}

/**
 * Decorates admission with a span for each phase. Plugins have none: dozens of spans per write would hide the others.
 */
export function tracedAdmission(tracer: Tracer): AdmissionDecorator {
  return {
    phase(call, phase) {
      const name = phase === "admit" ? "Mutating admission" : "Validating admission";
      return (attributes, context) => {
        const { operation, resource, subresource } = attributes;
        return tracer.span(name, { operation, ...resource, subresource }, async () => call(attributes, context));
      };
    },
  };
}
