import type { Writable } from "node:stream";
import { createGzip } from "node:zlib";
import type { HttpRequest } from "@orchernetes/kernel";
import type { RequestState } from "./request-state.ts";

/** Responses from this length on are compressed, in bytes, as upstream's: shorter ones are not worth the time. */
export const compressFromBytes = 128 * 1024;

/** The fastest level of gzip: most of the gain at a fraction of the time. */
const level = 1;

/** Whether the client accepts gzip (RFC 9110 §12.5.3). `*` does not count, as in upstream. */
function acceptsGzip(req: HttpRequest): boolean {
  const header = req.headers["accept-encoding"];
  if (typeof header !== "string" || !header.includes("gzip")) return false;
  return header.split(",").some((entry) => {
    const [name = "", ...parameters] = entry.split(";").map((part) => part.trim().toLowerCase());
    return name === "gzip" && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}

/** What is known of the length of a response when its head is written. */
export type AnswerLength =
  /** The whole body has this many bytes. */
  | { readonly exactly: number }
  /** At least this many bytes; the rest is not produced yet. */
  | { readonly atLeast: number };

/**
 * Writes the head of a response to a read, and returns the stream for its body: the response itself, or a gzip stream
 * to it if the client accepts that and the body is long enough. Watches do not use it, since their frames must be sent
 * at once.
 */
export function openBody(
  state: RequestState,
  code: number,
  headers: Record<string, number | string | string[]>,
  length: AnswerLength,
): Writable {
  const { req, res } = state;
  state.code = code;
  if ("exactly" in length) state.responseBytes = length.exactly;
  const known = "exactly" in length ? length.exactly : length.atLeast;
  if (known < compressFromBytes || !state.compressible || req.method !== "GET" || !acceptsGzip(req)) {
    res.writeHead(code, "exactly" in length ? { ...headers, "content-length": length.exactly } : headers);
    return res;
  }
  const { "content-length": _plain, ...rest } = headers;
  res.writeHead(code, { ...rest, "content-encoding": "gzip", vary: "Accept-Encoding" });
  const gzip = createGzip({ level });
  // The end of one stream ends the other: when a client leaves, the compressor must not wait forever.
  res.once("close", () => gzip.destroy());
  gzip.once("error", () => res.destroy());
  gzip.pipe(res);
  return gzip;
}
