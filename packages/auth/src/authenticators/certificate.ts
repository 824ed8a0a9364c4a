import type { Clock } from "@orchernetes/kernel";
import type { Authenticator } from "./authenticator.ts";
import type { PeerCertificates } from "./peer-certificates.ts";

/** Options of {@link certificateAuthenticator}. */
export interface CertificateOptions {
  /** Verifies against the authorities of `--client-ca-file`. */
  readonly peers: PeerCertificates;
  /** Called for each request with a valid certificate, with its remaining lifetime in seconds. */
  readonly onUse?: ((remainingSeconds: number) => void) | undefined;
  readonly clock: Pick<Clock, "now">;
}

/**
 * Authenticates clients by certificate: the common name is the user, the organizations are the groups. A certificate that does not
 * verify is rejected, as in Kubernetes; a certificate without a common name is ignored.
 */
export function certificateAuthenticator({ peers, onUse, clock }: CertificateOptions): Authenticator {
  return {
    authenticate(request) {
      const verdict = peers.verdictOf(request);
      if (verdict.type === "none") return { type: "noOpinion" };
      if (verdict.type === "invalid")
        return {
          type: "rejected",
          reason:
            "x509: the client certificate is not signed by a trusted authority, not for client authentication, or not valid now",
        };
      onUse?.((verdict.notAfterMs - clock.now().getTime()) / 1000);
      const { commonName, organizations } = verdict.subject;
      if (commonName === "") return { type: "noOpinion" };
      return { type: "authenticated", user: { name: commonName, groups: organizations, extra: {} } };
    },
  };
}
