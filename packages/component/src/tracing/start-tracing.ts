import { hostname } from "node:os";
import type { TracingConfiguration } from "@orchernetes/config";
import type { Logger } from "@orchernetes/kernel";
import { version } from "../version.ts";
import { encodeExport, exportMethod } from "./otlp.ts";
import { SpanQueue, type SpanQueueOptions } from "./span-queue.ts";
import { Tracer } from "./tracer.ts";

/** What spans are sent with. */
export interface TracingOptions {
  /** Name of the daemon: `service.name`. */
  readonly service: string;
  readonly configuration: TracingConfiguration;
  readonly logger: Logger;
  /** Sends what waits, then closes the connection. */
  readonly signal: AbortSignal;
  readonly queue?: Pick<SpanQueueOptions, "maxQueued" | "maxBatch" | "delayMs">;
}

const defaultEndpoint = "localhost:4317";
const exportTimeoutMs = 10_000;
/** A process that ends does not wait long for its collector. */
const lastTimeoutMs = 2000;

/** Starts to record spans and to send them to a collector (OTLP over gRPC). The collector need not be there. */
export async function startTracing(options: TracingOptions): Promise<Tracer> {
  const { service, configuration, logger, signal } = options;
  // Loaded where it is used: it costs every other start time and memory.
  const { Client, credentials } = await import("@grpc/grpc-js");
  const client = new Client(configuration.endpoint ?? defaultEndpoint, credentials.createInsecure());
  const resource = { "service.name": service, "service.version": version.gitVersion, "host.name": hostname() };
  const queue = new SpanQueue({
    ...options.queue,
    logger,
    send: (spans) =>
      new Promise((resolve, reject) => {
        client.makeUnaryRequest(
          exportMethod,
          (body: Buffer) => body,
          (answer: Buffer) => answer,
          encodeExport(resource, version.gitVersion, spans),
          { deadline: Date.now() + (signal.aborted ? lastTimeoutMs : exportTimeoutMs) },
          (error) => (error === null ? resolve() : reject(error)),
        );
      }),
  });
  signal.addEventListener("abort", () => void queue.flush().finally(() => client.close()), { once: true });
  return new Tracer({
    samplingRatePerMillion: configuration.samplingRatePerMillion ?? 0,
    export: (span) => queue.add(span),
  });
}
