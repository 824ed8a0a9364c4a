/**
 * The request got no usable answer: the connection could not be made, broke, timed out, or carried something that is not
 * this protocol. Whether the server carried the request out is unknown unless {@link sent} is false.
 */
export class TransportError extends Error {
  override readonly name = "TransportError";
  /** System or protocol code, e.g. `ECONNREFUSED`, `ETIMEDOUT`, `EPROTO`. */
  readonly code: string;
  /** False when the server cannot have seen the request. */
  readonly sent: boolean;
  /** The connection had served earlier requests: the server may just have closed it for being idle. */
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

/** Codes of failures that come before any byte of the request can have reached a server. */
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

/** Wraps what node:http reported, naming the request it was about. */
export function transportError(method: string, url: string, cause: unknown, reused = false): TransportError {
  const code = codeOf(cause);
  const staleConnection = reused && (code === "ECONNRESET" || code === "EPIPE");
  const detail = cause instanceof Error ? cause.message || code : String(cause);
  return new TransportError(`${method} ${url}: ${detail}`, {
    code,
    sent: !unsentCodes.has(code),
    staleConnection,
    cause,
  });
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "ERR_TRANSPORT";
}
