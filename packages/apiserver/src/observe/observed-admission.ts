import type { ApiMetrics, Tracer } from "../interfaces/index.ts";
import type { AdmissionDecorator } from "../registry/admission-chain.ts";
import { timed } from "./timed.ts";

/** Decorates admission with metrics of each plugin, and of each phase as a whole. */
export function measuredAdmission(metrics: Pick<ApiMetrics, "admissionStep" | "admissionPlugin">): AdmissionDecorator {
  return {
    plugin(call, name, phase, operation) {
      const observe = metrics.admissionPlugin(name, phase, operation);
      return timed(call, { returned: (s) => observe(s, false), threw: (s) => observe(s, true) });
    },
    phase(call, phase, operation) {
      const observe = metrics.admissionStep(phase, operation);
      return timed(call, { returned: (s) => observe(s, false), threw: (s) => observe(s, true) });
    },
  };
}

/**
 * Decorates admission with a span for each phase. Plugins have none: dozens of spans per write would hide the others.
 */
export function tracedAdmission(tracer: Tracer): AdmissionDecorator {
  return {
    plugin: (call) => call,
    phase(call, phase) {
      const name = phase === "admit" ? "Mutating admission" : "Validating admission";
      return (attributes, context) => {
        const { operation, resource, subresource } = attributes;
        return tracer.span(name, { operation, ...resource, subresource }, async () => call(attributes, context));
      };
    },
  };
}
