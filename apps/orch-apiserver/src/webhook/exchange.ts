import http, { type ClientRequest, type IncomingMessage } from "node:http";
import https from "node:https";
import { parseJsonText } from "@orchernetes/apimachinery";
import type { DialledRequest } from "../egress/dialled-agents.ts";
import { ReviewError } from "./review-error.ts";

/** One request to a service. */
export interface Exchange {
  readonly url: URL;
  /** Where the connection goes. @default the host of `url` */
  readonly host?: string;
  readonly port?: number;
  /** Path with query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string;
  /** @default that of the process */
  readonly agent: http.Agent | undefined;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** An answer that is JSON. */
export interface ExchangeAnswer {
  readonly status: number;
  /** Its integers are exact up to 64 bits. */
  readonly body: unknown;
}

/** Longest head of an answer, in bytes. */
const MAX_HEADER_BYTES = 64 * 1024;
/** Longest part of an answer that an error quotes. */
const QUOTED = 200;
const MAX_RETRY_AFTER_SECONDS = 60;

/**
 * Posts a payload and reads the answer. A kept connection that the service has closed meanwhile is replaced once.
 *
 * @throws ReviewError, or the signal's reason
 */
export async function exchange(request: Exchange): Promise<ExchangeAnswer> {
  const where = `Post ${request.url.origin}${request.path}`;
  const { message, body } = await send(request, where);
  const status = message.statusCode ?? 0;
  const text = body.toString("utf8");
  if (status < 200 || status > 299) {
    const retryAfter = Number(message.headers["retry-after"]);
    const asked = message.headers["retry-after"] !== undefined && Number.isFinite(retryAfter) && retryAfter >= 0;
    throw new ReviewError(`${where}: found status ${status}: ${quoted(text)}; accepted is 2xx with JSON`, {
      failure: "status",
      status,
      retryAfterMs: asked ? Math.min(retryAfter, MAX_RETRY_AFTER_SECONDS) * 1000 : undefined,
    });
  }
  try {
    return { status, body: parseJsonText(text) };
  } catch (cause) {
    const found = `found ${quoted(text)} instead of JSON`;
    throw new ReviewError(`${where}: ${found}`, { failure: "malformed", status, cause });
  }
}

const quoted = (text: string): string =>
  JSON.stringify(text.length <= QUOTED ? text : `${text.slice(0, QUOTED)}… (${text.length} characters)`);

interface Received {
  readonly message: IncomingMessage;
  readonly body: Buffer;
}

async function send(request: Exchange, where: string): Promise<Received> {
  let outgoing = begin(request);
  try {
    return await receive(outgoing, request, where);
  } catch (error) {
    const stale = outgoing.reusedSocket && error instanceof ReviewError && error.failure === "reset";
    if (!stale || request.signal.aborted) throw error;
    outgoing = begin(request);
    return receive(outgoing, request, where);
  }
}

function begin({ url, host, port, path, headers, payload, agent, signal }: Exchange): ClientRequest {
  signal.throwIfAborted();
  const secure = url.protocol === "https:";
  const options: http.RequestOptions & DialledRequest = {
    method: "POST",
    host: host ?? url.hostname.replace(/^\[|\]$/g, ""),
    port: port ?? (url.port === "" ? (secure ? 443 : 80) : Number(url.port)),
    path,
    headers: { ...headers, "content-length": Buffer.byteLength(payload) },
    ...(agent !== undefined && { agent }),
    signal,
    dialSignal: signal,
    maxHeaderSize: MAX_HEADER_BYTES,
  };
  return (secure ? https : http).request(options);
}

function receive(outgoing: ClientRequest, { payload, maxBytes, signal }: Exchange, where: string): Promise<Received> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      signal.removeEventListener("abort", fail);
      outgoing.destroy();
      reject(signal.aborted ? signal.reason : reviewError(error, where));
    };
    // A request that waits for a place in the pool does not say itself that it was destroyed.
    signal.addEventListener("abort", fail, { once: true });
    outgoing.once("close", () => signal.removeEventListener("abort", fail));
    outgoing.once("error", fail);
    // Nobody asked for another protocol; without a listener the request would have no end.
    outgoing.once("upgrade", (_, socket) => {
      socket.destroy();
      fail(new Error("the service switched protocols without a request for it"));
    });
    outgoing.once("response", (message) => {
      const chunks: Buffer[] = [];
      let length = 0;
      message.on("data", (chunk: Buffer) => {
        length += chunk.length;
        chunks.push(chunk);
        if (length <= maxBytes) return;
        const status = message.statusCode ?? 0;
        fail(new ReviewError(`${where}: the answer is longer than ${maxBytes} bytes`, { failure: "tooLarge", status }));
      });
      message.once("error", fail);
      message.once("end", () => resolve({ message, body: Buffer.concat(chunks) }));
      message.once("close", () => message.complete || fail(new Error("the connection ended before the answer did")));
    });
    outgoing.end(payload);
  });
}

const RESET: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE"]);

function reviewError(cause: unknown, where: string): ReviewError {
  if (cause instanceof ReviewError) return cause;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  const text = cause instanceof Error ? cause.message || String(code) : String(cause);
  return new ReviewError(`${where}: ${text}`, { failure: RESET.has(code) ? "reset" : "connection", cause });
}
