import { Client, credentials } from "@grpc/grpc-js";
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { hardenHttp2Clients } from "@orchernetes/kernel";
import { exportMethod, type OtlpClient } from "./otlp.ts";

/**
 * Connects to a collector on first use (OTLP 1.0 over gRPC, without TLS). The exporter of OpenTelemetry is not used:
 * it takes headers, certificates and timeouts from environment variables, and does not accept `dns://` and `unix://`
 * addresses.
 *
 * @param endpoint - as gRPC writes it, such as `localhost:4317`
 */
export function otlpClient(endpoint: string): OtlpClient {
  hardenHttp2Clients();
  const client = new Client(endpoint, credentials.createInsecure());
  const serialize = (spans: ReadableSpan[]): Buffer =>
    Buffer.from(ProtobufTraceSerializer.serializeRequest(spans) ?? new Uint8Array());
  return {
    send: (spans, timeoutMs) =>
      new Promise((resolve, reject) => {
        client.makeUnaryRequest(
          exportMethod,
          serialize,
          (response: Buffer) => response,
          [...spans],
          { deadline: Date.now() + timeoutMs },
          (error) => (error === null ? resolve() : reject(error)),
        );
      }),
    close: () => client.close(),
  };
}
