import type { HeaderEncoder } from "./header-encoder.ts";
import type { Header } from "./hpack.ts";

/** One request. */
export interface OutgoingRequest {
  readonly method: string;
  readonly authority: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Buffer | undefined;
}

/**
 * The header block of a request over TLS.
 *
 * @throws TypeError for a header that is not valid
 */
export function requestBlock(
  encoder: HeaderEncoder,
  { method, authority, path, headers, body }: OutgoingRequest,
): Buffer {
  const fields: Header[] = [
    [":method", method],
    [":scheme", "https"],
    [":authority", authority],
    [":path", path],
  ];
  for (const key in headers) {
    const value = headers[key];
    const name = key.toLowerCase();
    if (typeof value === "string") fields.push([name, value]);
    else if (value !== undefined) for (const one of value) fields.push([name, one]);
  }
  if (body !== undefined) fields.push(["content-length", String(body.length)]);
  return encoder.encode(fields);
}
