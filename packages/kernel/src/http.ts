import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";

/** The common part of the request objects of Node's HTTP/1.1 and HTTP/2 servers. In-process calls supply their own implementation. */
export interface HttpRequest extends Readable {
  readonly method?: string | undefined;
  /** The request target: a path with its query, or the absolute form. */
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly httpVersionMajor: number;
  readonly socket: Socket;
}

/** The common part of the response objects of Node's HTTP/1.1 and HTTP/2 servers. In-process calls supply their own implementation. */
export interface HttpResponse extends Writable {
  statusCode: number;
  readonly headersSent: boolean;
  setHeader(name: string, value: number | string | readonly string[]): unknown;
  getHeader(name: string): number | string | string[] | undefined;
  removeHeader(name: string): void;
  flushHeaders(): void;
  writeHead(statusCode: number, headers?: Record<string, number | string | string[]>): unknown;
}

/** Answers one request. If it throws or rejects, the server logs the error and answers 500. */
export type HttpHandler = (request: HttpRequest, response: HttpResponse) => void | Promise<void>;

/**
 * Whether a response's connection or stream is closed, so that no `close` event will follow. Node's HTTP/2 responses  have
 * no `destroyed` of their own, though they are typed as if: their stream has.
 */
export function isGone(response: { readonly destroyed: boolean }): boolean {
  const { stream } = response as { readonly stream?: { readonly destroyed: boolean } };
  return stream === undefined ? response.destroyed : stream.destroyed;
}
