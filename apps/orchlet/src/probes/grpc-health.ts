import http2 from "node:http2";
import type { CheckResult } from "./check.ts";

/** `HealthCheckResponse.ServingStatus.SERVING`. */
const serving = 1;
/** Maximum size of a response, which normally has a few bytes. The server is part of an untrusted container. */
const maxResponseBytes = 10 * 1024;
const statusNames: Readonly<Record<number, string>> = { 0: "UNKNOWN", 2: "NOT_SERVING", 3: "SERVICE_UNKNOWN" };

/** Frame of a gRPC message that holds a HealthCheckRequest (`service` is field 1). */
function healthRequest(service: string): Buffer {
  const name = Buffer.from(service);
  const message = name.length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0x0a]), varint(name.length), name]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** The status in a framed HealthCheckResponse (field 1); undefined if the frame is invalid or compressed. */
function healthStatus(frame: Buffer): number | undefined {
  if (frame.length < 5 || frame[0] !== 0) return undefined;
  const message = frame.subarray(5, 5 + frame.readUInt32BE(1));
  if (message.length === 0) return 0;
  return message[0] === 0x08 ? message[1] : undefined;
}

/**
 * Checks a server with the gRPC health checking protocol, version 1 (KEP-2727). Never rejects. Messages are the
 * original's.
 *
 * @param service name of the service whose health is requested; "" for the whole server
 */
export function checkGrpcHealth(host: string, port: number, service: string, timeoutMs: number): Promise<CheckResult> {
  return new Promise((resolve) => {
    const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    const session = http2.connect(`http://${address}`);
    const timer = setTimeout(
      () =>
        fail(`timeout: failed to connect service "${address}" within ${timeoutMs / 1000}s: context deadline exceeded`),
      timeoutMs,
    );
    const end = (result: CheckResult) => {
      clearTimeout(timer);
      session.destroy();
      resolve(result);
    };
    const fail = (message: string) => end({ outcome: "failure", message });
    session.on("error", (error) => fail(`error: this server cannot be reached: ${error.message}`));
    const stream = session.request({
      ":method": "POST",
      ":path": "/grpc.health.v1.Health/Check",
      "content-type": "application/grpc",
      te: "trailers",
      "user-agent": "orch-probe/1.27",
    });
    const chunks: Buffer[] = [];
    let grpcStatus = "0";
    // A response without a body has its status in the headers instead of the trailers.
    const readStatus = (headers: http2.IncomingHttpHeaders) => {
      const value = headers["grpc-status"];
      if (typeof value === "string") grpcStatus = value;
    };
    stream.on("response", readStatus).on("trailers", readStatus);
    let received = 0;
    stream.on("data", (chunk: Buffer) => {
      received += chunk.length;
      if (received > maxResponseBytes) return fail(`rpc error: the response is longer than ${maxResponseBytes} bytes`);
      chunks.push(chunk);
    });
    stream.on("error", (error) => fail(`rpc error: ${error.message}`));
    stream.on("end", () => {
      if (grpcStatus === "12")
        return fail("error: this server does not implement the grpc health protocol (grpc.health.v1.Health)");
      if (grpcStatus !== "0") return fail(`health rpc probe failed with grpc status ${grpcStatus}`);
      const status = healthStatus(Buffer.concat(chunks));
      if (status === serving) return end({ outcome: "success" });
      fail(`service unhealthy (responded with "${statusNames[status ?? -1] ?? "UNKNOWN"}")`);
    });
    stream.end(healthRequest(service));
  });
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}
