import type { PeerCertificates } from "@orchernetes/auth";
import type { Logger } from "@orchernetes/kernel";
import type { CaBundle, Followed } from "@orchernetes/tls";
import type { SecureServing } from "./secure-serving.ts";

/**
 * Closes connections when their certificate no longer verifies against a changed bundle. Otherwise a watch or exec on
 * them could continue for as long as the client wants.
 */
export function endLostConnections(
  serving: SecureServing,
  ca: Followed<CaBundle>,
  peers: PeerCertificates,
  logger: Logger,
): void {
  ca.onChange(() => {
    const connections = serving.endConnections((connection) => peers.hasLostTrust(connection));
    if (connections > 0) logger.info("Closed connections whose authority is no longer trusted", { connections });
  });
}
