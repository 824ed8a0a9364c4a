import { HeaderEncodingError, headersByPrefix, headerValues, type WithHeaders } from "@orchernetes/apimachinery";
import type { OnConnection } from "../serving/connection.ts";
import type { PeerCertificates } from "./peer-certificates.ts";

/** In which headers a front proxy names the user of a request. */
export interface IdentityHeaders {
  readonly usernameHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

/** Which front proxies are believed, and what they say. */
export interface FrontProxyOptions extends IdentityHeaders {
  /** Judges against the authorities of `--requestheader-client-ca-file`. */
  readonly peers: PeerCertificates;
  /** Common names a front proxy may bear; empty allows all. */
  readonly allowedNames: readonly string[];
}

/** Whom a front proxy speaks for. */
export type FrontProxyResult =
  /** The request does not come from a front proxy, or names nobody. */
  | { readonly type: "noOpinion" }
  | { readonly type: "rejected"; readonly reason: string }
  | {
      readonly type: "authenticated";
      readonly user: {
        readonly name: string;
        readonly groups: readonly string[];
        readonly extra: Readonly<Record<string, readonly string[]>>;
      };
    };

/**
 * Reads whom a front proxy speaks for. The proxy shows a certificate for client authentication that its own authorities vouch
 * for, with an allowed name; from anyone else the headers mean nothing. A rejection leaves the request to other authenticators:
 * the same certificate may be a user's own.
 */
export function identityFromFrontProxy(
  request: OnConnection & WithHeaders,
  options: FrontProxyOptions,
): FrontProxyResult {
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

function readIdentity(request: WithHeaders, options: IdentityHeaders): FrontProxyResult {
  const name = options.usernameHeaders.map((header) => headerValues(request, header)[0] ?? "").find(Boolean);
  if (name === undefined) return { type: "noOpinion" };
  const extra = new Map<string, readonly string[]>();
  for (const prefix of options.extraHeaderPrefixes)
    for (const [key, values] of headersByPrefix(request, prefix))
      extra.set(key, [...(extra.get(key) ?? []), ...values]);
  const groups = options.groupHeaders.flatMap((header) => headerValues(request, header)).filter(Boolean);
  return { type: "authenticated", user: { name, groups, extra: Object.fromEntries(extra) } };
}
