import { type Authenticator, InvalidCredentialsError } from "./interfaces.ts";
import { PeerCertificates, type Roots } from "./peer-certificates.ts";

/**
 * Authenticates clients by certificate: the common name is the user, the organizations are the groups. A certificate that no
 * authority vouches for is an error; a connection without one is none of its business.
 */
export function certificateAuthenticator(roots: Roots | PeerCertificates, now: () => number = Date.now): Authenticator {
  const peers = roots instanceof PeerCertificates ? roots : new PeerCertificates(roots, now);
  return {
    async authenticate(request) {
      const verdict = peers.verdictOf(request);
      if (verdict.type === "none") return undefined;
      if (verdict.type === "invalid") {
        throw new InvalidCredentialsError(
          "x509: the client certificate is not signed by a trusted authority, or not valid now",
        );
      }
      const { commonName, organizations } = verdict.subject;
      return commonName === "" ? undefined : { name: commonName, groups: organizations };
    },
  };
}
