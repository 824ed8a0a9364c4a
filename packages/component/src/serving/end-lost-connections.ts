import type { CaBundle, Followed } from "@orchernetes/tls";
import type { PeerCertificates } from "../authn-authz/peer-certificates.ts";
import type { Logger } from "../logs/logger.ts";
import type { SecureServing } from "./secure-serving.ts";

/**
 * Ends connections when a changed bundle no longer vouches for the certificate that let them in: what is under way on them, such
 * as a watch or an exec, would go on for as long as the client likes.
 */
export function endLostConnections(
  serving: SecureServing,
  ca: Followed<CaBundle>,
  peers: PeerCertificates,
  logger: Logger,
): void {
  ca.onChange(() => {
    const connections = serving.endConnections((connection) => peers.hasLost(connection));
    if (connections > 0) logger.info("Ended connections whose authority is no longer trusted", { connections });
  });
}
