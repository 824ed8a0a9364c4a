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
 *
 * Reads the headers once, however many there are: anybody may send a thousand of them.
 *
 * @throws HeaderEncodingError as {@link headerValues}
 */
export function headersByPrefix(request: WithHeaders, prefix: string): ReadonlyMap<string, readonly string[]> {
  const start = prefix.toLowerCase();
  const found = new Map<string, string[]>();
  for (const [name, value] of fieldsOf(request)) {
    if (name.length <= start.length || !name.startsWith(start)) continue;
    const key = unescapeKey(name.slice(start.length));
    const text = request.rawHeaders === undefined ? value : textOf(value, name);
    const values = found.get(key);
    if (values === undefined) found.set(key, [text]);
    else values.push(text);
  }
  return found;
}

/** Each field of the headers that have not been removed, with its name in lower case. */
function* fieldsOf({ headers, rawHeaders: raw }: WithHeaders): Generator<readonly [name: string, value: string]> {
  if (raw === undefined) {
    for (const [name, value = []] of Object.entries(headers))
      for (const one of typeof value === "string" ? [value] : value) yield [name, one];
    return;
  }
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? "").toLowerCase();
    if (headers[name] !== undefined) yield [name, raw[i + 1] ?? ""];
  }
}

function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
