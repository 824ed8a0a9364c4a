import { ApiError, failure, type Status, statusOf } from "@orchernetes/apimachinery";
import { type HttpResponse, isGone } from "@orchernetes/kernel";
import { isStoreError } from "@orchernetes/storage";
import type { Classified } from "../flow-control/flow-controller.ts";
import { compressFromBytes, openBody } from "./compress.ts";
import type { RequestState } from "./request-state.ts";
import { warningHeaders } from "./warning.ts";

const flowSchemaHeader = "x-orchernetes-pf-flowschema-uid";
const priorityLevelHeader = "x-orchernetes-pf-prioritylevel-uid";

/**
 * Sets the headers that name the flow schema and priority level of a request, for code that writes the response head
 * itself.
 */
export function setFlowHeaders(res: HttpResponse, { schema, level }: Classified): void {
  res.setHeader(flowSchemaHeader, schema.uid);
  res.setHeader(priorityLevelHeader, level.uid);
}

/** The headers of every response. Nothing may be cached by proxies: a response depends on the user. */
export function baseHeaders(state: RequestState, contentType: string): Record<string, number | string | string[]> {
  const headers: Record<string, number | string | string[]> = {
    "audit-id": state.auditId,
    "cache-control": "no-cache, private",
    "content-type": contentType,
  };
  if (state.flow !== undefined) {
    headers[flowSchemaHeader] = state.flow.schema.uid;
    headers[priorityLevelHeader] = state.flow.level.uid;
  }
  if (state.warnings.length > 0) headers.warning = warningHeaders(state.warnings);
  return headers;
}

/**
 * Responds with a whole body. Does nothing if a response was sent already. If the audit log blocks responses, it waits
 * for the record.
 */
export function sendBytes(
  state: RequestState,
  code: number,
  contentType: string,
  body: Uint8Array | string,
  extra?: Readonly<Record<string, number | string | string[]>>,
): void {
  const { res } = state;
  if (res.headersSent || isGone(res)) return;
  state.code = code;
  const recorded = state.audit?.completed(code);
  // A request may have timed out because its record takes too long; then the response does not wait for it.
  if (recorded === undefined || state.timedOut) writeBytes(state, code, contentType, body, extra);
  else state.held = sendRecorded(recorded, state, () => writeBytes(state, code, contentType, body, extra));
}

function writeBytes(
  state: RequestState,
  code: number,
  contentType: string,
  body: Uint8Array | string,
  extra: Readonly<Record<string, number | string | string[]>> | undefined,
): void {
  const { res } = state;
  const headers = baseHeaders(state, contentType);
  const length = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  state.responseBytes = length;
  if (extra !== undefined) Object.assign(headers, extra);
  if (length >= compressFromBytes) {
    openBody(state, code, headers, { exactly: length }).end(state.req.method === "HEAD" ? undefined : body);
    return;
  }
  // A cache applies the headers of "not modified" to the body that it has, whose type and length must stay (RFC 9111
  // §4.3.4).
  if (code === 304) delete headers["content-type"];
  else headers["content-length"] = length;
  res.writeHead(code, headers);
  if (state.req.method === "HEAD") res.end();
  else res.end(body);
}

/** Sends the response after `recorded`, unless another was sent in the meantime because the request timed out. */
async function sendRecorded(recorded: Promise<void>, { res }: RequestState, send: () => void): Promise<void> {
  await recorded;
  if (!res.headersSent && !isGone(res)) send();
}

/** The Status of each kind of store error. Retrying helps where `retryAfterSeconds` is set. */
const storeFailures = {
  Compacted: () => failure("Expired", "The provided resource version is too old: its history has been compacted."),
  FutureRevision: (message: string) =>
    failure("Timeout", `Timeout: Too large resource version: ${message}`, {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    }),
  Unavailable: (message: string) =>
    failure("ServiceUnavailable", `the storage backend is unavailable: ${message}`, { retryAfterSeconds: 1 }),
  Timeout: (message: string) =>
    failure("Timeout", `Timeout: the storage backend did not answer in time: ${message}`, { retryAfterSeconds: 1 }),
  // The message says what to do; retrying does not help.
  NoSpace: (message: string) =>
    failure("InternalError", `the storage backend is full and accepts no writes: ${message}`),
  TooLarge: (message: string) => failure("RequestEntityTooLarge", `Request entity too large: ${message}`),
  Corrupt: (message: string) =>
    failure("InternalError", `the storage backend holds data that cannot be read: ${message}`),
} as const;

/** Converts anything thrown to the Status that the client sees. The only place that does. */
export function toStatus(error: unknown): Status {
  if (error instanceof ApiError) return error.status;
  if (isStoreError(error)) return storeFailures[error.reason](error.message);
  return statusOf(error);
}
