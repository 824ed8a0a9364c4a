import type { Header } from "./hpack.ts";
import type { ResponseHeaders } from "./request-stream.ts";

/**
 * The status and the fields of a response.
 *
 * @throws RangeError if it has no valid status
 */
export function readResponseHeaders(fields: readonly Header[]): {
  readonly status: number;
  readonly headers: ResponseHeaders;
} {
  let status = 0;
  const headers: ResponseHeaders = Object.create(null);
  for (const [name, value] of fields) {
    if (name.startsWith(":")) {
      if (name === ":status") status = Number(value);
      continue;
    }
    const before = headers[name];
    if (name === "set-cookie") headers[name] = [...(before ?? []), value];
    else headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  if (!Number.isInteger(status) || status < 100 || status > 999) throw new RangeError("a response without a status");
  return { status, headers };
}
