import type { Writable } from "node:stream";
import { createGzip } from "node:zlib";
import type { HttpRequest } from "@orchernetes/kernel";
import type { RequestState } from "./request-state.ts";

/** Shorter answers are not worth compressing. */
export const compressFromBytes = 128 * 1024;

/** The fastest level: most of the gain at a fraction of the time. */
const level = 1;

/** Whether the client takes gzip (RFC 9110 §12.5.3); `*` is not taken for it. */
function acceptsGzip(req: HttpRequest): boolean {
  const header = req.headers["accept-encoding"];
  if (typeof header !== "string" || !header.includes("gzip")) return false;
  return header.split(",").some((entry) => {
    const [name = "", ...parameters] = entry.split(";").map((part) => part.trim().toLowerCase());
    return name === "gzip" && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}

/** What an answer is known to be when its head has to be written. */
export type AnswerLength =
  /** The whole body has this many bytes. */
  | { readonly exactly: number }
  /** At least this many; the rest is not made yet. */
  | { readonly atLeast: number };

/**
 * Writes the head of an answer to a read, and gives the stream that takes its body: the response itself, or a gzip stream into
 * it when the client accepts that and the body is long enough. Watches never come here: their frames must leave at once.
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
  // Either side's end is the other's: a client that left must not leave the compressor waiting.
  res.once("close", () => gzip.destroy());
  gzip.once("error", () => res.destroy());
  gzip.pipe(res);
  return gzip;
}
