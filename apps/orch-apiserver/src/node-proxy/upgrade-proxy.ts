import type { OutgoingHttpHeaders } from "node:http";
import type { Duplex } from "node:stream";
import type { HttpRequest } from "@orchernetes/kernel";
import { readHead } from "../dial/read-head.ts";
import { forwardableHeaders } from "./http-proxy.ts";
import { passRefusal } from "./pass-refusal.ts";

/** An answer's head is refused beyond this. */
const MAX_HEAD_BYTES = 64 * 1024;

const CRLF = "\r\n";

/** Headers of the handshake, which the general rules would drop. */
const HANDSHAKE = ["connection", "upgrade"];

function requestHead(request: HttpRequest, path: string, host: string, own?: OutgoingHttpHeaders): string {
  const headers = { ...(own ?? forwardableHeaders(request)) };
  // What follows a handshake is for the agreed protocol alone.
  delete headers["content-length"];
  delete headers.expect;
  for (const name of HANDSHAKE) {
    const value = request.headers[name];
    if (value !== undefined) headers[name] = value;
  }
  headers.host = host;
  const lines = [`${request.method ?? "GET"} ${path} HTTP/1.1`];
  for (const [name, value] of Object.entries(headers))
    for (const one of Array.isArray(value) ? value : [value]) lines.push(`${name}: ${one}`);
  return lines.join(CRLF) + CRLF + CRLF;
}

/**
 * Hands an upgrade request to `upstream` and, when that agrees (101), joins the two sockets until either ends. A refusal
 * (4xx, 5xx) is passed on, and nothing after it; anything else an upstream might say to an upgrade is an error, so that a redirect or a
 * plain answer can't smuggle a response past the client. Both sockets are closed in the end.
 *
 * @throws Error before anything was written to `client`: the caller may still answer.
 */
export async function proxyUpgrade(options: {
  readonly request: HttpRequest;
  /** What to send instead of the request's own forwardable headers. Values are bytes, a character each. */
  readonly headers?: OutgoingHttpHeaders;
  readonly client: Duplex;
  readonly clientHead: Buffer;
  readonly upstream: Duplex;
  readonly path: string;
  readonly host: string;
  readonly timeoutMs: number;
}): Promise<void> {
  const { client, upstream } = options;
  upstream.write(requestHead(options.request, options.path, options.host, options.headers), "latin1");
  const { head, rest } = await readHead(upstream, {
    maxBytes: MAX_HEAD_BYTES,
    timeoutMs: options.timeoutMs,
  }).catch((error: unknown) => {
    upstream.destroy();
    throw error;
  });
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head.toString("latin1", 0, 16))?.[1]);
  if (status !== 101 && !(status >= 400 && status < 600)) {
    upstream.destroy();
    throw new Error(`invalid upgrade response: status code ${status}`);
  }
  if (status !== 101) {
    await passRefusal(client, upstream, head, rest);
    return;
  }
  client.write(head);
  if (rest.length > 0) client.write(rest);
  if (options.clientHead.length > 0) upstream.write(options.clientHead);
  await join(client, upstream);
}

function join(a: Duplex, b: Duplex): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      a.destroy();
      b.destroy();
      resolve();
    };
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const) {
      // Half-close is kept: an end of input must not cut the output short.
      from.pipe(to);
      from.on("error", end);
      from.on("close", end);
    }
  });
}
