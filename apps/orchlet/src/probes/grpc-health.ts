import http2 from "node:http2";
import { formatDuration } from "@orchernetes/apimachinery";
import { grpcCodeName } from "@orchernetes/cri";
import { onAbort } from "@orchernetes/kernel";
import type { CheckResult } from "./check.ts";
import { limitRead } from "./read-limit.ts";

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
export function checkGrpcHealth(
  host: string,
  port: number,
  service: string,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<CheckResult> {
  return new Promise((resolve) => {
    const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    // Nobody listens to the errors of responses that a server pushes: they would end the process.
    const session = http2.connect(`http://${address}`, { settings: { enablePush: false } });
    const limit = formatDuration(timeoutMs);
    let isConnected = false;
    const timer = setTimeout(() => {
      if (isConnected) return fail(`timeout: health rpc did not complete within ${limit}`);
      fail(`timeout: failed to connect service "${address}" within ${limit}: context deadline exceeded`);
    }, timeoutMs);
    const end = (result: CheckResult) => {
      clearTimeout(timer);
      endReadLimit();
      undoAbort();
      session.destroy();
      resolve(result);
    };
    const fail = (message: string) => end({ outcome: "failure", message });
    const endReadLimit = limitRead(
      () => (session.destroyed ? undefined : session.socket),
      (message) => fail(`rpc error: ${message}`),
    );
    const undoAbort = onAbort(signal, () => fail("the probe was canceled"));
    session.on("connect", () => {
      isConnected = true;
    });
    // An error of the session ends its stream, too, with an error that does not name the cause.
    const failWith = (error: Error) => {
      const { cause = error } = error;
      const text = cause instanceof Error ? cause.message : error.message;
      if (!isConnected) return fail(`error: failed to connect service at "${address}": ${text}`);
      fail(`error: health rpc probe failed: rpc error: code = Unavailable desc = ${text}`);
    };
    session.on("error", failWith);
    const stream = session.request({
      ":method": "POST",
      ":path": "/grpc.health.v1.Health/Check",
      "content-type": "application/grpc",
      te: "trailers",
      "user-agent": "orch-probe/1.27",
    });
    const chunks: Buffer[] = [];
    let grpcStatus = "0";
    let grpcMessage = "";
    // A response without a body has its status in the headers instead of the trailers.
    const readStatus = (headers: http2.IncomingHttpHeaders) => {
      const { "grpc-status": code, "grpc-message": text } = headers;
      if (typeof code === "string") grpcStatus = code;
      if (typeof text === "string") grpcMessage = text;
    };
    stream.on("response", readStatus).on("trailers", readStatus);
    let received = 0;
    stream.on("data", (chunk: Buffer) => {
      received += chunk.length;
      if (received > maxResponseBytes) return fail(`rpc error: the response is longer than ${maxResponseBytes} bytes`);
      chunks.push(chunk);
    });
    stream.on("error", failWith);
    stream.on("end", () => {
      if (grpcStatus === "12")
        return fail(
          `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${grpcMessage}`,
        );
      if (grpcStatus !== "0")
        return fail(
          `error: health rpc probe failed: rpc error: code = ${grpcCodeName(Number(grpcStatus))} desc = ${grpcMessage}`,
        );
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
