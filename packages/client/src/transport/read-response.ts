import { ApiError, genericServerResponse, type Status } from "@orchernetes/apimachinery";
import { bodyOf, isStatus, readBody } from "./body.ts";
import type { RawRequest } from "./requester.ts";
import type { TransportResponse } from "./transport.ts";
import { TransportError } from "./transport-error.ts";

const isJson = (response: TransportResponse): boolean => response.headers["content-type"]?.includes("json") === true;

/**
 * Reads the body of a successful response: the text of what is neither JSON nor has a format.
 *
 * @throws TransportError if it cannot be read as what it is; the signal's reason
 */
export async function readResult(
  response: TransportResponse,
  { method, path, decode }: RawRequest,
  signal?: AbortSignal,
): Promise<unknown> {
  const bytes = await bodyOf(response, signal);
  const { format } = response;
  try {
    if (format !== undefined) return format.object(bytes);
    const text = bytes.toString("utf8");
    if (!isJson(response)) return text;
    return decode === undefined ? JSON.parse(text) : decode(text);
  } catch (cause) {
    const message = `${method} ${path}: the response is not valid ${format?.name ?? "JSON"}`;
    throw new TransportError(message, { code: "EPROTO", sent: true, cause });
  }
}

/** Reads the error of a response with a status code of at least 400: its Status, or what the code says. */
export async function readError(response: TransportResponse, method: string, signal?: AbortSignal): Promise<Error> {
  // The status code says enough when the body cannot be read.
  const bytes = response.whole ?? (await readBody(response.body, signal).catch(() => Buffer.alloc(0)));
  const code = response.statusCode;
  const status = readStatus(bytes, response);
  if (status !== undefined) return new ApiError(status.code === undefined ? { ...status, code } : status);
  const retryAfter = Number(response.headers["retry-after"]);
  return genericServerResponse({
    code,
    verb: method,
    // Bodies that are not a Status come from proxies and are pages of HTML; the message stays readable in a log.
    serverMessage: bytes.toString("utf8").slice(0, 2048).trim(),
    ...(Number.isFinite(retryAfter) ? { retryAfterSeconds: retryAfter } : {}),
  });
}

function readStatus(bytes: Buffer, response: TransportResponse): Status | undefined {
  const { format } = response;
  if (format === undefined && !isJson(response)) return undefined;
  try {
    const value: unknown = format === undefined ? JSON.parse(bytes.toString("utf8")) : format.object(bytes);
    return isStatus(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
