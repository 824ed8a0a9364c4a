import { HeaderEncodingError, headersByPrefix, headerValues, type WithHeaders } from "@orchernetes/apimachinery";
import type { Authenticator, AuthRequest, AuthResult } from "./authenticator.ts";
import type { PeerCertificates } from "./peer-certificates.ts";

/** Names of the headers in which a front proxy names the user. */
export interface IdentityHeaders {
  readonly usernameHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

/** Which front proxies are trusted, and their headers: the `--requestheader-*` flags. */
export interface FrontProxyOptions extends IdentityHeaders {
  /** Verifies certificates against the authorities of `--requestheader-client-ca-file`. */
  readonly peers: PeerCertificates;
  /** Allowed common names of front proxies; empty allows all. */
  readonly allowedNames: readonly string[];
}

/**
 * Authenticates the user that a front proxy names in headers. The proxy must present a certificate for client authentication that one
 * of the front proxy authorities has signed, with an allowed name; otherwise the headers are ignored. These authorities are not those of
 * `--client-ca-file`, because a proxy can act as any user. After a rejection other authenticators are asked: the certificate may be that of
 * a user.
 */
export function requestHeaderAuthenticator(options: FrontProxyOptions): Authenticator {
  return { authenticate: (request) => authenticate(request, options) };
}

function authenticate(request: AuthRequest, options: FrontProxyOptions): AuthResult {
  const { peers, allowedNames } = options;
  const verdict = peers.verdictOf(request);
  if (verdict.type === "none") return { type: "noOpinion" };
  if (verdict.type === "invalid")
    return {
      type: "rejected",
      reason: "x509: the client certificate is not signed by an authority of front proxies, or not valid now",
    };
  const { commonName } = verdict.subject;
  if (allowedNames.length > 0 && !allowedNames.includes(commonName))
    return { type: "rejected", reason: `x509: subject with cn=${commonName} is not in the allowed list` };
  try {
    return readIdentity(request, options);
  } catch (error) {
    if (!(error instanceof HeaderEncodingError)) throw error;
    return { type: "rejected", reason: error.message };
  }
}

function readIdentity(request: WithHeaders, options: IdentityHeaders): AuthResult {
  const name = options.usernameHeaders.map((header) => headerValues(request, header)[0] ?? "").find(Boolean);
  if (name === undefined) return { type: "noOpinion" };
  const extra = new Map<string, readonly string[]>();
  for (const prefix of options.extraHeaderPrefixes)
    for (const [key, values] of headersByPrefix(request, prefix))
      extra.set(key, [...(extra.get(key) ?? []), ...values]);
  const groups = options.groupHeaders.flatMap((header) => headerValues(request, header)).filter(Boolean);
  return { type: "authenticated", user: { name, groups, extra: Object.fromEntries(extra) } };
}
