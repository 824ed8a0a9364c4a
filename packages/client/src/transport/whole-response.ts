import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import type { BodyFormat } from "./body-format.ts";
import type { TransportResponse } from "./transport.ts";

/** A response whose body has arrived. A stream is only made for those that want one. */
export class WholeResponse implements TransportResponse {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly whole: Buffer;
  readonly format?: BodyFormat;
  #body: Readable | undefined;

  constructor(statusCode: number, headers: IncomingHttpHeaders, whole: Buffer, format?: BodyFormat) {
    this.statusCode = statusCode;
    this.headers = headers;
    this.whole = whole;
    if (format !== undefined) this.format = format;
  }

  get body(): Readable {
    this.#body ??= Readable.from(this.whole.length === 0 ? [] : [this.whole], { objectMode: false });
    return this.#body;
  }
}

/** The response with a format of its body. */
export const inFormat = (response: TransportResponse, format: BodyFormat): TransportResponse => {
  const { statusCode, headers, whole } = response;
  return whole === undefined
    ? { statusCode, headers, body: response.body, format }
    : new WholeResponse(statusCode, headers, whole, format);
};

/** Reads a body that nobody needs, so that its connection is free again. */
export function discard(response: TransportResponse): void {
  if (response.whole === undefined) response.body.resume();
}
