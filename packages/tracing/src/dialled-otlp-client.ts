import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from "node:http2";
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { type Dialer, type DialTarget, targetText } from "@orchernetes/kernel";
import { exportMethod, type OtlpClient } from "./otlp.ts";

/** Length of what is before a message: whether it is compressed, and its length (gRPC over HTTP/2). */
const HEAD_BYTES = 5;
/** Longest answer; it says how many spans were rejected, and why. */
const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * A collector behind a proxy: as `otlpClient`, but `dial` opens the connections, for which gRPC's own client has no option. One
 * connection is kept as long as it lasts; the next spans open another one.
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
    // Requests in flight learn of it by their own error. A connection that is idle does not keep the process alive.
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
        if (late.aborted) throw new Error(`no answer within ${timeoutMs} ms`, { cause: error });
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

/** One call of the method. @throws Error unless it ended with status 0; the signal's reason when it aborted */
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
      // Without a message the status is in the first headers.
      status = headers;
      if (headers[":status"] !== 200)
        reject(new Error(`the collector answered with HTTP status ${headers[":status"]}, where gRPC has 200`));
    });
    stream.on("trailers", (headers: IncomingHttpHeaders) => {
      status = headers;
    });
    stream.on("data", ({ length }: Buffer) => {
      received += length;
      if (received <= MAX_ANSWER_BYTES) return;
      reject(new Error(`the collector's answer is longer than ${MAX_ANSWER_BYTES} bytes`));
      stream.close(constants.NGHTTP2_CANCEL);
    });
    stream.on("error", reject);
    stream.once("close", () => {
      signal.removeEventListener("abort", abort);
      const code = status["grpc-status"];
      if (code === "0") resolve();
      else if (code === undefined) reject(new Error("the collector ended the call without a status"));
      else reject(new Error(`the collector answered with gRPC status ${code}: ${status["grpc-message"] ?? ""}`));
    });
    stream.end(message);
  });
}
