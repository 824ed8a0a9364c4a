import type { Authenticator } from "@orchernetes/apiserver";
import type { PeerCertificates } from "@orchernetes/component";

/**
 * The user is the common name of a client certificate signed by `--client-ca-file`, its groups the organizations. A
 * certificate that does not verify is a failed authentication (401), even without other credentials.
 *
 * @param peers judges against the authorities of `--client-ca-file`
 * @param onUse called for each request with a valid certificate, with the time for which it is still valid
 */
export function clientCertificateAuthenticator(
  peers: PeerCertificates,
  onUse: (remainingSeconds: number) => void = () => {},
): Authenticator {
  return {
    authenticate(request) {
      const verdict = peers.verdictOf(request);
      if (verdict.type === "none") return { type: "noOpinion" };
      if (verdict.type === "invalid")
        return {
          type: "rejected",
          reason:
            "x509: the client certificate is not signed by a trusted authority, not one for clients, or not valid now",
        };
      onUse((verdict.notAfterMs - Date.now()) / 1000);
      const { commonName, organizations } = verdict.subject;
      if (commonName === "") return { type: "noOpinion" };
      return { type: "authenticated", user: { name: commonName, groups: organizations, extra: {} } };
    },
  };
}
