import { Client, credentials } from "@grpc/grpc-js";
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";

/** The method of the collector that takes spans. */
export const exportMethod = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

/** A connection to a collector. */
export interface OtlpClient {
  /** Rejects when the collector did not take the spans in time. */
  send(spans: readonly ReadableSpan[], timeoutMs: number): Promise<void>;
  close(): void;
}

/**
 * Connects to a collector on first use (OTLP 1.0 over gRPC, without TLS). OpenTelemetry's exporter is not used: it takes headers,
 * certificates and time limits from the environment, and no address of the forms `dns://` and `unix://`.
 *
 * @param endpoint as gRPC names it, such as `localhost:4317`
 */
export function otlpClient(endpoint: string): OtlpClient {
  const client = new Client(endpoint, credentials.createInsecure());
  const serialize = (spans: ReadableSpan[]): Buffer =>
    Buffer.from(ProtobufTraceSerializer.serializeRequest(spans) ?? new Uint8Array());
  return {
    send: (spans, timeoutMs) =>
      new Promise((resolve, reject) => {
        client.makeUnaryRequest(
          exportMethod,
          serialize,
          (answer: Buffer) => answer,
          [...spans],
          { deadline: Date.now() + timeoutMs },
          (error) => (error === null ? resolve() : reject(error)),
        );
      }),
    close: () => client.close(),
  };
}
