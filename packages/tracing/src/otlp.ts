import type { ReadableSpan } from "@opentelemetry/sdk-trace";

/** The method of the collector that takes spans. */
export const exportMethod = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

/** A connection to a collector. */
export interface OtlpClient {
  /** Rejects when the collector did not take the spans in time. */
  send(spans: readonly ReadableSpan[], timeoutMs: number): Promise<void>;
  close(): void;
}
