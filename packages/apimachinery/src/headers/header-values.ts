import type { IncomingHttpHeaders } from "node:http";

/** The headers of a request; in-process requests have no raw headers. */
export interface WithHeaders {
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders?: readonly string[];
}

/** A header is not valid UTF-8. */
export class HeaderEncodingError extends Error {
  override readonly name = "HeaderEncodingError";
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The values of a header, one for each field. It is for headers that contain identities: Node joins fields of the
 * same name with ", ", so that one value with a comma cannot be distinguished from two values, and a user could gain
 * a group.
 *
 * Bytes are decoded as UTF-8, the encoding that clients use for names.
 *
 * @throws HeaderEncodingError for bytes that are not UTF-8: different names must not become the same text
 */
export function headerValues(request: WithHeaders, name: string): readonly string[] {
  const wanted = name.toLowerCase();
  const present = request.headers[wanted];
  if (present === undefined) return [];
  const raw = request.rawHeaders;
  if (raw === undefined) return typeof present === "string" ? [present] : present;
  const values: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    if (raw[i]?.toLowerCase() === wanted) values.push(textOf(raw[i + 1] ?? "", name));
  }
  return values;
}

/** Decodes a header value; Node reads each byte of it as one character. */
function textOf(value: string, name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what is tested for.
  if (/^[\x00-\x7f]*$/.test(value)) return value;
  try {
    return utf8.decode(Buffer.from(value, "latin1"));
  } catch (error) {
    throw new HeaderEncodingError(`header ${JSON.stringify(name)} is not valid UTF-8`, { cause: error });
  }
}

/**
 * The headers whose names begin with a prefix, by the percent-decoded rest of the name, as for `X-Remote-Extra-`. A
 * rest with invalid percent-encoding is used unchanged. Values of headers with the same decoded rest are merged.
 */
export function headersByPrefix(request: WithHeaders, prefix: string): ReadonlyMap<string, readonly string[]> {
  const start = prefix.toLowerCase();
  const found = new Map<string, readonly string[]>();
  for (const header of Object.keys(request.headers)) {
    if (!header.startsWith(start) || header.length === start.length) continue;
    const key = unescapeKey(header.slice(start.length));
    found.set(key, [...(found.get(key) ?? []), ...headerValues(request, header)]);
  }
  return found;
}

function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
