import http2 from "node:http2";
import type { Socket } from "node:net";
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
export async function checkGrpcHealth(
  host: string,
  port: number,
  service: string,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<CheckResult> {
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const limit = formatDuration(timeoutMs);
  const expiry = Promise.withResolvers<CheckResult>();
  let session: http2.ClientHttp2Session | undefined;
  const timer = setTimeout(() => {
    if (session !== undefined) return expiry.resolve(failure(`timeout: health rpc did not complete within ${limit}`));
    expiry.resolve(
      failure(`timeout: failed to connect service "${address}" within ${limit}: context deadline exceeded`),
    );
  }, timeoutMs);
  const attempts = new Attempts(address);
  const endReadLimit = limitRead(
    () => attempts.socket,
    (message) => expiry.resolve(failure(`rpc error: ${message}`)),
  );
  const undoAbort = onAbort(signal, () => expiry.resolve(failure("the probe was canceled")));
  try {
    const check = async (): Promise<CheckResult> => {
      session = await attempts.connected();
      return askHealth(session, service);
    };
    return await Promise.race([check(), expiry.promise]);
  } finally {
    clearTimeout(timer);
    endReadLimit();
    undoAbort();
    attempts.end();
  }
}

const failure = (message: string): CheckResult => ({ outcome: "failure", message });

/** Delay between the first two attempts to connect, in milliseconds, and its growth. As in gRPC, which connects until the time is over. */
const firstDelayMs = 1000;
const delayGrowth = 1.6;

/** Attempts to connect to a server, until one succeeds. */
class Attempts {
  readonly #address: string;
  #session: http2.ClientHttp2Session | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(address: string) {
    this.#address = address;
  }

  /** The current connection, if there is one. */
  get socket(): Pick<Socket, "bytesRead"> | undefined {
    return this.#session === undefined || this.#session.destroyed ? undefined : this.#session.socket;
  }

  /** A session with a server that has sent its settings. Errors of it end its streams. */
  connected(): Promise<http2.ClientHttp2Session> {
    const { promise, resolve } = Promise.withResolvers<http2.ClientHttp2Session>();
    const attempt = (delayMs: number): void => {
      // Nobody listens to the errors of responses that a server pushes: they would end the process.
      const session = http2.connect(`http://${this.#address}`, { settings: { enablePush: false } });
      this.#session = session;
      let isReady = false;
      session.once("remoteSettings", () => {
        isReady = true;
        resolve(session);
      });
      session.on("error", () => undefined);
      session.once("close", () => {
        if (!isReady && !this.#isOver) this.#timer = setTimeout(attempt, delayMs, delayMs * delayGrowth);
      });
    };
    attempt(firstDelayMs);
    return promise;
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#session?.destroy();
  }
}

/** Requests the health of a service. Never rejects. */
function askHealth(session: http2.ClientHttp2Session, service: string): Promise<CheckResult> {
  return new Promise((resolve) => {
    const fail = (message: string) => resolve(failure(message));
    // An error of the session ends its stream, too, with an error that does not name the cause.
    const failWith = (error: Error) => {
      const { cause = error } = error;
      const text = cause instanceof Error ? cause.message : error.message;
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
    stream.on("end", () => resolve(resultOf(grpcStatus, grpcMessage, Buffer.concat(chunks))));
    stream.end(healthRequest(service));
  });
}

function resultOf(grpcStatus: string, grpcMessage: string, body: Buffer): CheckResult {
  if (grpcStatus === "12")
    return failure(
      `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${grpcMessage}`,
    );
  if (grpcStatus !== "0")
    return failure(
      `error: health rpc probe failed: rpc error: code = ${grpcCodeName(Number(grpcStatus))} desc = ${grpcMessage}`,
    );
  const status = healthStatus(body);
  if (status === serving) return { outcome: "success" };
  return failure(`service unhealthy (responded with "${statusNames[status ?? -1] ?? "UNKNOWN"}")`);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}
