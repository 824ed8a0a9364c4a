import type { ReadableSpan } from "@opentelemetry/sdk-trace";

/** The gRPC method of a collector that receives spans. */
export const exportMethod = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

/** A connection to a collector. */
export interface OtlpClient {
  /** Sends spans. Rejects when the collector does not accept them within `timeoutMs` milliseconds. */
  send(spans: readonly ReadableSpan[], timeoutMs: number): Promise<void>;
  /** Closes the connection; calls in flight fail. */
  close(): void;
}
