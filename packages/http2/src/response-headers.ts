import type { Header } from "./hpack.ts";

/** The header of a response. A field that occurs several times has its values joined by a comma, `set-cookie` a list of them. */
export type ResponseHeaders = Record<string, string | string[] | undefined>;

/**
 * The status of a response, which precedes its other fields.
 *
 * @throws RangeError if it has no valid status
 */
export function statusOf(fields: readonly Header[]): number {
  for (const field of fields) {
    const name = field[0];
    if (name === ":status") return parseStatus(field[1]);
    if (!name.startsWith(":")) break;
  }
  throw new RangeError("a response without a status");
}

/** Numbers of other forms, such as 2e2, are none. */
function parseStatus(text: string): number {
  const status = Number(text);
  if (text.length !== 3 || !(status >= 100) || String(status) !== text)
    throw new RangeError("a response without a status that is valid");
  return status;
}

/** The fields of a response by their names, without the status. */
export function responseHeaders(fields: readonly Header[]): ResponseHeaders {
  const headers: ResponseHeaders = Object.create(null);
  for (const [name, value] of fields) {
    if (name.startsWith(":")) continue;
    const before = headers[name];
    if (name === "set-cookie") headers[name] = [...(before ?? []), value];
    else headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return headers;
}
