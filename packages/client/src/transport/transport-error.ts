/**
 * A request had no usable response: the connection failed, broke or timed out, or the response was not valid HTTP. Whether the
 * server processed the request is unknown unless {@link sent} is false.
 */
export class TransportError extends Error {
  override readonly name = "TransportError";
  /** The code of the system or the protocol, e.g. `ECONNREFUSED`, `ETIMEDOUT`, `EPROTO`. */
  readonly code: string;
  /** False when the server cannot have received the request, so that repeating it is safe. */
  readonly sent: boolean;
  /** Whether the connection had served earlier requests: the server may have closed it because it was idle. */
  readonly staleConnection: boolean;

  constructor(
    message: string,
    options: {
      readonly code: string;
      readonly sent: boolean;
      readonly staleConnection?: boolean;
      readonly cause?: unknown;
    },
  ) {
    super(message, { cause: options.cause });
    this.code = options.code;
    this.sent = options.sent;
    this.staleConnection = options.staleConnection ?? false;
  }
}

/**
 * Codes of failures before any byte of the request is sent: the name was not resolved, no connection was made, or the
 * certificate was not accepted.
 */
const unsentCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "CERT_HAS_EXPIRED",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

/** Codes of a connection that ended while it was in use. */
const endedCodes: ReadonlySet<string> = new Set([
  "ECONNRESET",
  "EPIPE",
  "ERR_HTTP2_SESSION_ERROR",
  "ERR_HTTP2_STREAM_CANCEL",
]);

/** What is known about the connection of a request that failed. */
export interface RequestState {
  /** Whether it had served earlier requests. @default false */
  readonly reused?: boolean;
  /** Whether the server can have received the request. @default false for errors that occur before that, otherwise true */
  readonly sent?: boolean;
}

/**
 * Wraps an error of Node and adds the request to the message; `cause` is the original error.
 *
 * @param url the address with path and query
 */
export function transportError(
  method: string,
  url: string,
  cause: unknown,
  { reused = false, sent }: RequestState = {},
): TransportError {
  const code = codeOf(cause);
  const staleConnection = reused && endedCodes.has(code);
  const detail = cause instanceof Error ? cause.message || code : String(cause);
  return new TransportError(`${method} ${url}: ${detail}`, {
    code,
    sent: sent ?? !unsentCodes.has(code),
    staleConnection,
    cause,
  });
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "ERR_TRANSPORT";
}
