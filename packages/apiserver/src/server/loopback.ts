import type { IncomingHttpHeaders } from "node:http";
import { Socket } from "node:net";
import { Readable, Writable } from "node:stream";
import type { HttpRequest, HttpResponse } from "@orchernetes/kernel";
import type { LoopbackResponse } from "./server-options.ts";

/**
 * A request made inside the process. It takes the path of requests from the network, so that it is authorized, audited
 * and limited alike.
 */
export class LoopbackRequest extends Readable implements HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly httpVersionMajor = 1;
  /** A socket that is never connected: no peer address and no certificate. */
  readonly socket = new Socket();
  #body: Uint8Array | undefined;

  constructor(method: string, url: string, headers: IncomingHttpHeaders, body: Uint8Array | undefined) {
    super();
    this.method = method;
    this.url = url;
    this.headers = headers;
    this.#body = body;
  }

  override _read(): void {
    const body = this.#body;
    this.#body = undefined;
    if (body !== undefined && body.length > 0) this.push(body);
    this.push(null);
  }
}

/** Collects the response to a {@link LoopbackRequest}. */
export class LoopbackAnswer extends Writable implements HttpResponse {
  statusCode = 200;
  headersSent = false;
  readonly #headers: Record<string, number | string | string[]> = {};
  readonly #chunks: Buffer[] = [];

  setHeader(name: string, value: number | string | readonly string[]): this {
    this.#headers[name.toLowerCase()] = Array.isArray(value) ? [...value] : (value as number | string);
    return this;
  }

  getHeader(name: string): number | string | string[] | undefined {
    return this.#headers[name.toLowerCase()];
  }

  removeHeader(name: string): void {
    delete this.#headers[name.toLowerCase()];
  }

  writeHead(statusCode: number, headers: Record<string, number | string | string[]> = {}): this {
    this.statusCode = statusCode;
    for (const [name, value] of Object.entries(headers)) this.setHeader(name, value);
    this.headersSent = true;
    return this;
  }

  flushHeaders(): void {
    this.headersSent = true;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    this.headersSent = true;
    // A copy: long responses are written from pooled buffers, which are reused as soon as the callback was called.
    this.#chunks.push(Buffer.from(chunk));
    callback();
  }

  /** The whole response; call it after `finish`. */
  answer(): LoopbackResponse {
    return { status: this.statusCode, headers: this.#headers, body: Buffer.concat(this.#chunks) };
  }
}
