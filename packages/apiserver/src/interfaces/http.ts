import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";

/** What HTTP/1.1 and HTTP/2 request objects of Node have in common; in-process calls bring their own. */
export interface HttpRequest extends Readable {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly httpVersionMajor: number;
  readonly socket: Socket;
}

/** What HTTP/1.1 and HTTP/2 response objects of Node have in common. */
export interface HttpResponse extends Writable {
  statusCode: number;
  readonly headersSent: boolean;
  setHeader(name: string, value: number | string | readonly string[]): unknown;
  getHeader(name: string): number | string | string[] | undefined;
  removeHeader(name: string): void;
  flushHeaders(): void;
  writeHead(statusCode: number, headers?: Record<string, number | string | string[]>): unknown;
}
