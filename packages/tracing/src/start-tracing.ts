import { hostname } from "node:os";
import { version } from "@orchernetes/component";
import type { TracingConfiguration } from "@orchernetes/config";
import type { Dialer, Logger } from "@orchernetes/kernel";
import { collectorTarget } from "./collector-target.ts";
import type { OtlpClient } from "./otlp.ts";
import type { SpanQueueOptions } from "./span-queue.ts";
import type { Tracer } from "./tracer.ts";

/** The options of {@link startTracing}. */
export interface TracingOptions {
  /** Name of the daemon: `service.name`. */
  readonly service: string;
  readonly configuration: TracingConfiguration;
  readonly logger: Logger;
  /** When it aborts, waiting spans are sent and the connection is closed. */
  readonly signal: AbortSignal;
  /**
   * Opens connections to the collector, such as through a proxy. Not used for unix sockets. @default direct
   * connections
   */
  readonly dial?: Dialer | undefined;
  readonly queue?: Pick<SpanQueueOptions, "maxQueued" | "maxBatch" | "delayMs">;
}

const DEFAULT_ENDPOINT = "localhost:4317";
const EXPORT_TIMEOUT_MS = 10_000;
/** Time limit for sending at the end of the process, which should not wait long for its collector. */
const LAST_TIMEOUT_MS = 2000;

/**
 * Starts recording spans and sending them to a collector (OTLP over gRPC). Resolves even if the collector cannot be
 * reached: spans are then lost, and requests are not affected.
 */
export async function startTracing(options: TracingOptions): Promise<Tracer> {
  const { service, configuration, logger, signal } = options;
  // Imported dynamically, because loading OpenTelemetry and gRPC costs time and memory at the start of every process.
  const [{ resourceFromAttributes }, { SpanQueue }, { Tracer }, client] = await Promise.all([
    import("@opentelemetry/resources"),
    import("./span-queue.ts"),
    import("./tracer.ts"),
    clientOf(configuration.endpoint ?? DEFAULT_ENDPOINT, options.dial),
  ]);
  const queue = new SpanQueue({
    ...options.queue,
    logger,
    send: (spans) => client.send(spans, signal.aborted ? LAST_TIMEOUT_MS : EXPORT_TIMEOUT_MS),
  });
  signal.addEventListener("abort", () => void queue.forceFlush().finally(() => client.close()), { once: true });
  return new Tracer({
    samplingRatePerMillion: configuration.samplingRatePerMillion ?? 0,
    processor: queue,
    resource: resourceFromAttributes({
      "service.name": service,
      "service.version": version.gitVersion,
      "host.name": hostname(),
    }),
  });
}

async function clientOf(endpoint: string, dial: Dialer | undefined): Promise<OtlpClient> {
  const target = collectorTarget(endpoint);
  if (dial === undefined || target === undefined) return (await import("./otlp-client.ts")).otlpClient(endpoint);
  return (await import("./dialled-otlp-client.ts")).dialledOtlpClient(target, dial);
}
