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

/** Handles one request. If it throws or rejects, the server logs the error and responds with status 500. */
export type HttpHandler = (request: HttpRequest, response: HttpResponse) => void | Promise<void>;

/**
 * Whether the connection or stream of a response is closed, so that no `close` event will follow. The HTTP/2
 * responses of Node have no `destroyed` property, although their type says so; their stream has one.
 */
export function isGone(response: { readonly destroyed: boolean }): boolean {
  const { stream } = response as { readonly stream?: { readonly destroyed: boolean } };
  return stream === undefined ? response.destroyed : stream.destroyed;
}
