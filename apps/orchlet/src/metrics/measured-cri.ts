import { exponentialBuckets, type Metrics } from "@orchernetes/component";
import type { CriClient, ImageService, RuntimeService } from "@orchernetes/cri";
import type { Clock } from "@orchernetes/kernel";

type Method = (...call: readonly unknown[]) => unknown;

/** The metrics of calls of the runtime. */
interface CallMetrics {
  /** Counts a call, and measures it until the promise is settled. */
  measure<T>(method: string, request: unknown, result: Promise<T>): Promise<T>;
}

/** The original's name of a method: `runPodSandbox` is `run_podsandbox`. */
export function operationType(method: string): string {
  if (method === "updateContainerResources") return "update_container";
  return method.replace(/(p)odSandbox/i, "$1odsandbox").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Wraps a runtime client so that its calls are counted and measured. The stream of container events is not: it never ends. */
export function measuredCri(cri: CriClient, metrics: Metrics, clock: Pick<Clock, "monotonicMs">): CriClient {
  const calls = callMetrics(metrics, clock);
  return {
    runtime: measured<RuntimeService>(cri.runtime, calls),
    images: measured<ImageService>(cri.images, calls),
    close: () => cri.close(),
  };
}

function measured<S extends object>(service: S, calls: CallMetrics): S {
  const methods = Object.entries(service as Readonly<Record<string, Method>>).map(
    ([method, call]): [string, Method] => {
      if (method === "getContainerEvents") return [method, call];
      return [method, (...given) => calls.measure(method, given[0], Promise.resolve(call(...given)))];
    },
  );
  return Object.fromEntries(methods) as S;
}

function callMetrics(metrics: Metrics, clock: Pick<Clock, "monotonicMs">): CallMetrics {
  const labelNames = ["operation_type"] as const;
  const total = metrics.counter({
    name: "orchlet_runtime_operations_total",
    help: "Cumulative number of runtime operations by operation type.",
    labelNames,
  });
  const errors = metrics.counter({
    name: "orchlet_runtime_operations_errors_total",
    help: "Cumulative number of runtime operation errors by operation type.",
    labelNames,
  });
  const duration = metrics.histogram({
    name: "orchlet_runtime_operations_duration_seconds",
    help: "Duration in seconds of runtime operations. Broken down by operation type.",
    labelNames,
    buckets: exponentialBuckets(0.005, 2.5, 14),
  });
  const sandboxes = sandboxMetrics(metrics);
  return {
    async measure(method, request, result) {
      const labels = [operationType(method)];
      const begunMs = clock.monotonicMs();
      const seconds = () => (clock.monotonicMs() - begunMs) / 1000;
      total.inc(labels);
      try {
        return await result;
      } catch (error) {
        errors.inc(labels);
        if (method === "runPodSandbox") sandboxes.failed(request);
        throw error;
      } finally {
        duration.observe(seconds(), labels);
        if (method === "runPodSandbox") sandboxes.ended(request, seconds());
      }
    },
  };
}

/** The metrics of sandboxes, which are those of starts of pods. */
function sandboxMetrics(metrics: Metrics) {
  const labelNames = ["runtime_handler"] as const;
  const duration = metrics.histogram({
    name: "orchlet_run_podsandbox_duration_seconds",
    help: "Duration in seconds of the run_podsandbox operations. Broken down by RuntimeClass.Handler.",
    labelNames,
  });
  const errors = metrics.counter({
    name: "orchlet_run_podsandbox_errors_total",
    help: "Cumulative number of the run_podsandbox operation errors by RuntimeClass.Handler.",
    labelNames,
  });
  const started = metrics.counter({ name: "orchlet_started_pods_total", help: "Cumulative number of pods started" });
  const startErrors = metrics.counter({
    name: "orchlet_started_pods_errors_total",
    help: "Cumulative number of errors when starting pods",
  });
  const handlerOf = (request: unknown): string => {
    const handler = typeof request === "object" && request !== null && Reflect.get(request, "runtimeHandler");
    return typeof handler === "string" ? handler : "";
  };
  return {
    ended(request: unknown, seconds: number): void {
      started.inc();
      duration.observe(seconds, [handlerOf(request)]);
    },
    failed(request: unknown): void {
      startErrors.inc();
      errors.inc([handlerOf(request)]);
    },
  };
}
