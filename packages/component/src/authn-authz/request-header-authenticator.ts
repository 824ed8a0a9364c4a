import { type IdentityHeaders, identityFromFrontProxy } from "./front-proxy.ts";
import { type Authenticator, InvalidCredentialsError } from "./interfaces.ts";
import { PeerCertificates, type Roots } from "./peer-certificates.ts";

/** The `--requestheader-*` flags. */
export interface RequestHeaderOptions extends IdentityHeaders {
  /** Authorities of `--requestheader-client-ca-file`. */
  readonly roots: Roots | PeerCertificates;
  /** Common names a front proxy may bear; empty allows all. */
  readonly allowedNames: readonly string[];
  /** @default Date.now */
  readonly now?: () => number;
}

/**
 * Believes the identity headers of front proxies: only of those whose certificate the proxy authorities vouch for. From anyone
 * else the headers mean nothing.
 */
export function requestHeaderAuthenticator(options: RequestHeaderOptions): Authenticator {
  const { roots, now = Date.now } = options;
  const peers = roots instanceof PeerCertificates ? roots : new PeerCertificates(roots, now);
  return {
    async authenticate(request) {
      const found = identityFromFrontProxy(request, { ...options, peers });
      switch (found.type) {
        case "authenticated":
          return found.user;
        case "rejected":
          throw new InvalidCredentialsError(found.reason);
        case "noOpinion":
          return undefined;
      }
    },
  };
}
