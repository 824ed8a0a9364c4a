/** One HTTP/1.1 response. */
export interface RawResponse {
  readonly status: number;
  /** By lower-case name. Of several with the same name, the last one. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Whether the whole body was received. False for streams that were still open. */
  readonly complete: boolean;
  /** Bytes of the whole response and of interim ones before it, if its head has a Content-Length. */
  readonly length?: number;
}

/**
 * Parses the first final response in the bytes received so far. Interim responses (1xx except 101) are skipped.
 *
 * The fuzzer has a parser of its own because that of Node hides what it needs to see: responses to broken requests
 * and bytes after a response.
 *
 * @param ended - whether no more bytes will come, which ends a body without a length
 * @returns undefined when the head is incomplete
 * @throws Error for bytes that are not an HTTP/1.1 response
 */
export function parseResponse(received: Buffer, method: string, ended: boolean): RawResponse | undefined {
  let start = 0;
  for (;;) {
    const end = received.indexOf("\r\n\r\n", start);
    if (end < 0) return undefined;
    const [statusLine = "", ...lines] = received.subarray(start, end).toString("latin1").split("\r\n");
    const match = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(statusLine);
    if (match === null) throw new Error(`not an HTTP/1.1 response: ${JSON.stringify(statusLine.slice(0, 100))}`);
    const status = Number(match[1]);
    if (status < 200 && status !== 101) {
      start = end + 4;
      continue;
    }
    const headers: Record<string, string> = Object.create(null) as Record<string, string>;
    for (const line of lines) {
      const colon = line.indexOf(":");
      headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
    }
    const rest = received.subarray(end + 4);
    // Responses without a body, whatever their headers say (RFC 9112 section 6.3).
    if (method === "HEAD" || status === 204 || status === 304 || status === 101) {
      return { status, headers, body: Buffer.alloc(0), complete: true };
    }
    if (headers["transfer-encoding"] === "chunked") return { status, headers, ...unchunked(rest) };
    const length = headers["content-length"];
    if (length === undefined) return { status, headers, body: rest, complete: ended };
    const whole = rest.length >= Number(length);
    const body = rest.subarray(0, Number(length));
    return { status, headers, body, complete: whole, length: end + 4 + Number(length) };
  }
}

/** Decodes the chunked transfer coding (RFC 9112 section 7.1), without trailers. */
function unchunked(content: Buffer): { readonly body: Buffer; readonly complete: boolean } {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = content.indexOf("\r\n", at);
    if (end < 0) return { body: Buffer.concat(chunks), complete: false };
    const size = Number.parseInt(content.subarray(at, end).toString("latin1"), 16);
    if (!Number.isInteger(size)) throw new Error("a chunk of the response has no size");
    if (content.length < end + 2 + size + 2) return { body: Buffer.concat(chunks), complete: false };
    if (size === 0) return { body: Buffer.concat(chunks), complete: true };
    chunks.push(content.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}
