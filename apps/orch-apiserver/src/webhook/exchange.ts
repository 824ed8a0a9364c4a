import http, { type ClientRequest, type IncomingMessage } from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { parseJsonText } from "@orchernetes/apimachinery";
import type { DialledRequest } from "../egress/dialled-agents.ts";
import { connectionError } from "./connection-error.ts";
import { MAX_REDIRECTS, redirectedPath } from "./redirects.ts";
import { quoted, refusalOf } from "./refusal.ts";
import { ReviewError } from "./review-error.ts";

/** A request to a service. */
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
  /** Called with the connection over which an answer comes. */
  readonly onConnection?: ((socket: Socket) => void) | undefined;
}

/** A response with JSON. */
export interface ExchangeAnswer {
  readonly status: number;
  /** Its integers are exact up to 64 bits. */
  readonly body: unknown;
}

/** Maximum size of the head of a response, in bytes. */
const MAX_HEADER_BYTES = 64 * 1024;

/**
 * Posts a payload and reads the response. Redirects to the same server are followed. If the service has closed a kept connection in the
 * meantime, the request is sent once more over a new one.
 *
 * @throws ReviewError if there is no usable response; the reason of the signal if it aborts
 */
export async function exchange(request: Exchange): Promise<ExchangeAnswer> {
  const { url } = request;
  let { path } = request;
  for (let redirects = 0; ; redirects++) {
    const where = `Post ${url.origin}${path}`;
    const { message, body } = await send({ ...request, path }, where);
    const status = message.statusCode ?? 0;
    const text = body.toString("utf8");
    if (status >= 200 && status <= 299) return { status, body: parsed(text, status, where) };
    const { location } = message.headers;
    const next = redirectedPath({ status, location, from: new URL(url.origin + path), where });
    if (next === undefined) throw refusalOf(message, text, where);
    if (redirects === MAX_REDIRECTS)
      throw new ReviewError(`${where}: stopped after ${MAX_REDIRECTS} redirects`, { failure: "redirect", status });
    path = next;
  }
}

function parsed(text: string, status: number, where: string): unknown {
  try {
    return parseJsonText(text);
  } catch (cause) {
    const found = `found ${quoted(text)} instead of JSON`;
    throw new ReviewError(`${where}: ${found}`, { failure: "malformed", status, cause });
  }
}

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

function receive(outgoing: ClientRequest, exchanged: Exchange, where: string): Promise<Received> {
  const { payload, maxBytes, signal, onConnection } = exchanged;
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      signal.removeEventListener("abort", fail);
      outgoing.destroy();
      reject(signal.aborted ? signal.reason : connectionError(error, where));
    };
    // A request that waits for a place in the pool does not say itself that it was destroyed.
    signal.addEventListener("abort", fail, { once: true });
    outgoing.once("close", () => signal.removeEventListener("abort", fail));
    outgoing.once("error", fail);
    // Node emits no response when the other side switches protocols, so without this listener the request would never end.
    outgoing.once("upgrade", (_, socket) => {
      socket.destroy();
      fail(new Error("the service switched protocols without a request for it"));
    });
    outgoing.once("response", (message) => {
      onConnection?.(message.socket);
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
