import type { Clock } from "@orchernetes/kernel";
import type { Authenticator } from "./authenticators/authenticator.ts";
import { certificateAuthenticator } from "./authenticators/certificate.ts";
import type { PeerCertificates } from "./authenticators/peer-certificates.ts";
import { type FrontProxyOptions, requestHeaderAuthenticator } from "./authenticators/request-header.ts";
import { bearerTokenAuthenticator } from "./tokens/bearer-token-authenticator.ts";
import type { TokenAuthenticator } from "./tokens/token-authenticator.ts";

/** The credentials that a server accepts; undefined ones are not configured. */
export interface AcceptedCredentials {
  readonly frontProxies?: FrontProxyOptions | undefined;
  /** Verifies client certificates. */
  readonly clients?: PeerCertificates | undefined;
  /** Called for each request with a valid client certificate, with its remaining lifetime in seconds. */
  readonly onCertificate?: ((remainingSeconds: number) => void) | undefined;
  readonly tokens?: TokenAuthenticator | undefined;
  /** Accepted audiences of tokens; if there are none, the API server that reviews them decides. @default none */
  readonly audiences?: readonly string[];
  /** Time in milliseconds for which a connection that repeats its token is not authenticated again. @default 0 */
  readonly recheckAfterMs?: number;
  readonly clock: Clock;
}

/**
 * The authenticators of a server: front proxy, client certificate, bearer token, in this order. The API server and all other daemons
 * use this list, so that the same credentials lead to the same user everywhere.
 */
export function requestAuthenticators(accepted: AcceptedCredentials): readonly Authenticator[] {
  const { frontProxies, clients, onCertificate, tokens, audiences = [], recheckAfterMs = 0, clock } = accepted;
  const authenticators: Authenticator[] = [];
  if (frontProxies !== undefined) authenticators.push(requestHeaderAuthenticator(frontProxies));
  if (clients !== undefined)
    authenticators.push(certificateAuthenticator({ peers: clients, onUse: onCertificate, clock }));
  if (tokens !== undefined) authenticators.push(bearerTokenAuthenticator(tokens, { audiences, recheckAfterMs, clock }));
  return authenticators;
}
