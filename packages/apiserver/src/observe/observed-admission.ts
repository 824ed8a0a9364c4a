import type { ApiMetrics, Tracer } from "../interfaces/index.ts";
import type { AdmissionDecorator } from "../registry/admission-chain.ts";
import { type Stopwatch, timed } from "./timed.ts";

/**
 * Decorates admission with metrics of each plugin, and of each phase as a whole.
 *
 * The clock is read once between two plugins: when one ends the next one begins, as the chain calls it right after. A write passes about
 * two dozen plugins, and most return faster than the clock is read. While a plugin waits, other writes may read the clock; what they read
 * is never later than the present, so no duration is negative.
 *
 * @param nowMs reads a clock that never runs backwards, in milliseconds @default that of the system
 */
export function measuredAdmission(
  metrics: Pick<ApiMetrics, "admissionStep" | "admissionPlugin">,
  nowMs: () => number = () => performance.now(),
): AdmissionDecorator {
  let lastMs = 0;
  const secondsSince = (startMs: number) => {
    lastMs = nowMs();
    return (lastMs - startMs) / 1000;
  };
  const ofPhases: Stopwatch = {
    start() {
      lastMs = nowMs();
      return lastMs;
    },
    secondsSince,
  };
  const ofPlugins: Stopwatch = { start: () => lastMs, secondsSince };
  return {
    plugin(call, name, phase, operation) {
      const observe = metrics.admissionPlugin(name, phase, operation);
      return timed(call, { returned: (s) => observe(s, false), threw: (s) => observe(s, true) }, ofPlugins);
    },
    phase(call, phase, operation) {
      const observe = metrics.admissionStep(phase, operation);
      return timed(call, { returned: (s) => observe(s, false), threw: (s) => observe(s, true) }, ofPhases);
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
