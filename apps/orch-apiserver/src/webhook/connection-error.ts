import { ServerNameError } from "@orchernetes/tls";
import { ReviewError } from "./review-error.ts";

const EXPIRED = "x509: certificate has expired or is not yet valid";
const UNKNOWN_AUTHORITY = "x509: certificate signed by unknown authority";

/** Go's messages about certificates by the codes of Node: tools compare the messages. */
const DISTRUST: ReadonlyMap<unknown, string> = new Map([
  ["CERT_HAS_EXPIRED", EXPIRED],
  ["CERT_NOT_YET_VALID", EXPIRED],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", UNKNOWN_AUTHORITY],
  ["SELF_SIGNED_CERT_IN_CHAIN", UNKNOWN_AUTHORITY],
  ["UNABLE_TO_GET_ISSUER_CERT", UNKNOWN_AUTHORITY],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", UNKNOWN_AUTHORITY],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", UNKNOWN_AUTHORITY],
]);

const RESET: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE"]);

/** Returns the error of a request without a complete response. A ReviewError is returned unchanged. */
export function connectionError(cause: unknown, where: string): ReviewError {
  if (cause instanceof ReviewError) return cause;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  const distrust = cause instanceof ServerNameError ? cause.message : DISTRUST.get(code);
  const other = cause instanceof Error ? cause.message || String(code) : String(cause);
  const text = distrust === undefined ? other : `tls: failed to verify certificate: ${distrust}`;
  return new ReviewError(`${where}: ${text}`, { failure: RESET.has(code) ? "reset" : "connection", cause });
}
