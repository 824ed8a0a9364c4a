import type { CriClient, ImageService, RuntimeService } from "@orchernetes/cri";
import type { Tracer } from "@orchernetes/tracing";

type Method = (...call: readonly unknown[]) => unknown;

/** Wraps a service so that each call is a span. The stream of container events has none, because it never ends. */
function traced<S extends object>(service: S, name: string, tracer: Pick<Tracer, "span">): S {
  const methods = Object.entries(service as Readonly<Record<string, Method>>).map(
    ([method, call]): [string, Method] => {
      if (method === "getContainerEvents") return [method, call];
      const title = `runtime.v1.${name}/${method.charAt(0).toUpperCase()}${method.slice(1)}`;
      return [method, (...given) => tracer.span(title, { "rpc.system": "grpc" }, () => call(...given))];
    },
  );
  return Object.fromEntries(methods) as S;
}

/**
 * Wraps a runtime client so that its calls are spans within the trace of the current operation, such as a round of a
 * pod.
 */
export function tracedCri(cri: CriClient, tracer: Pick<Tracer, "span">): CriClient {
  return {
    ...cri,
    runtime: traced<RuntimeService>(cri.runtime, "RuntimeService", tracer),
    images: traced<ImageService>(cri.images, "ImageService", tracer),
    close: () => cri.close(),
  };
}
