import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from "node:http2";
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { type Dialer, type DialTarget, targetText } from "@orchernetes/kernel";
import { exportMethod, type OtlpClient } from "./otlp.ts";

/** Bytes before a message in gRPC over HTTP/2: a flag for compression, and the length of the message in four bytes. */
const HEAD_BYTES = 5;
/** Longest response, which states how many spans were rejected, and why. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/**
 * Like `otlpClient`, for a collector behind a proxy: `dial` opens the connections, for which the gRPC library has no
 * option. Uses one connection as long as it lasts, then opens another one for the next spans.
 */
export function dialledOtlpClient(target: DialTarget, dial: Dialer): OtlpClient {
  const end = new AbortController();
  let session: ClientHttp2Session | undefined;
  const connected = async (signal: AbortSignal): Promise<ClientHttp2Session> => {
    if (session !== undefined && !session.closed && !session.destroyed) return session;
    const link = await dial(target, signal);
    const opened = connect(`http://${targetText(target)}`, {
      createConnection: () => link,
      settings: { enablePush: false },
    });
    // Requests in flight fail with errors of their own. An idle connection does not keep the process running.
    opened.on("error", () => opened.destroy()).once("close", () => link.destroy());
    opened.once("goaway", () => opened.close());
    session = opened;
    return opened;
  };
  return {
    async send(spans, timeoutMs) {
      const late = AbortSignal.timeout(timeoutMs);
      const signal = AbortSignal.any([end.signal, late]);
      try {
        signal.throwIfAborted();
        await exportOver(await connected(signal), messageOf(spans), signal);
      } catch (error) {
        if (late.aborted) throw new Error(`no response within ${timeoutMs} ms`, { cause: error });
        throw error;
      }
    },
    close() {
      end.abort(new Error("the connection to the collector was closed"));
      session?.destroy();
    },
  };
}

function messageOf(spans: readonly ReadableSpan[]): Buffer {
  const message = ProtobufTraceSerializer.serializeRequest([...spans]) ?? new Uint8Array();
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/**
 * One call of the method.
 * @throws Error unless it ends with status 0; the reason of the signal when it aborts
 */
function exportOver(session: ClientHttp2Session, message: Buffer, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request(
      { ":method": "POST", ":path": exportMethod, "content-type": "application/grpc", te: "trailers" },
      { endStream: false },
    );
    let status: IncomingHttpHeaders = {};
    let received = 0;
    const abort = () => {
      reject(signal.reason);
      stream.close(constants.NGHTTP2_CANCEL);
    };
    signal.addEventListener("abort", abort, { once: true });
    stream.on("response", (headers) => {
      // A response without a message has the status in its first headers ("Trailers-Only").
      status = headers;
      if (headers[":status"] !== 200)
        reject(new Error(`the collector responded with HTTP status ${headers[":status"]}; gRPC requires 200`));
    });
    stream.on("trailers", (headers: IncomingHttpHeaders) => {
      status = headers;
    });
    stream.on("data", ({ length }: Buffer) => {
      received += length;
      if (received <= MAX_RESPONSE_BYTES) return;
      reject(new Error(`the response of the collector is longer than ${MAX_RESPONSE_BYTES} bytes`));
      stream.close(constants.NGHTTP2_CANCEL);
    });
    stream.on("error", reject);
    stream.once("close", () => {
      signal.removeEventListener("abort", abort);
      const code = status["grpc-status"];
      if (code === "0") resolve();
      else if (code === undefined) reject(new Error("the collector ended the call without a status"));
      else reject(new Error(`the collector responded with gRPC status ${code}: ${status["grpc-message"] ?? ""}`));
    });
    stream.end(message);
  });
}
