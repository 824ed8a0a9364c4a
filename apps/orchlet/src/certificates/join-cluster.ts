import { createClient, loadClientConfig } from "@orchernetes/client";
import type { Clock, Logger } from "@orchernetes/kernel";
import { generatePrivateKey, privateKeyToPem, validity } from "@orchernetes/tls";
import type { Bootstrap } from "../config/bootstrap.ts";
import type { CertificateStore } from "./certificate-store.ts";
import { RequestRefused, requestCertificate } from "./request-certificate.ts";
import { isAsWanted, type WantedCertificate } from "./wanted-certificate.ts";
import { writeClientConfig } from "./write-client-config.ts";

/** Bounds of the back-off after a failed attempt. */
const retryMs = 500;
const maxRetryMs = 32_000;

/** What joining a cluster needs. */
interface JoinOptions {
  readonly bootstrap: Bootstrap;
  readonly wanted: WantedCertificate;
  readonly store: CertificateStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * Requests the node's first client certificate with the credentials of the bootstrap configuration, saves it with its key, and writes
 * the client configuration that names it. An attempt that fails is repeated; the bootstrap configuration is read each time, so that an
 * expired token can be replaced. Never rejects.
 *
 * @returns whether the node has joined; false if the signal aborted
 */
export async function joinCluster(options: JoinOptions): Promise<boolean> {
  const { bootstrap, store, clock, logger, signal } = options;
  if (bootstrap.reason !== undefined)
    logger.warn("The client configuration cannot be used, and is replaced", {
      orchconfig: bootstrap.target,
      reason: bootstrap.reason,
    });
  for (let waitMs = retryMs; !signal.aborted; waitMs = Math.min(waitMs * 2, maxRetryMs)) {
    try {
      await attempt(options);
      logger.info("Joined the cluster", { orchconfig: bootstrap.target, certificate: store.current });
      return true;
    } catch (error) {
      if (signal.aborted) break;
      if (error instanceof RequestRefused) store.dropPendingKey();
      logger.error(error, "Could not get a client certificate with the bootstrap configuration", {
        file: bootstrap.source,
        retryInMs: waitMs,
      });
      await clock.sleep(waitMs, signal).catch(() => undefined);
    }
  }
  return false;
}

async function attempt({ bootstrap, wanted, store, clock, logger, signal }: JoinOptions): Promise<void> {
  let key = store.pendingKey();
  if (key === undefined) {
    key = await generatePrivateKey();
    store.keepPendingKey(privateKeyToPem(key));
  }
  const client = createClient({ ...loadClientConfig(bootstrap.source), userAgent: "orchlet/v1.27", logger });
  try {
    const pair = await requestCertificate(wanted, { client, clock, logger, signal }, key);
    const [leaf] = pair.chain;
    if (leaf === undefined || !isAsWanted(leaf, wanted) || validity(leaf).notAfterMs <= clock.nowMs())
      throw new RequestRefused(
        `signer ${wanted.signerName} issued a certificate for another name than requested, or an expired one`,
      );
    store.save(pair, clock.now());
    writeClientConfig({ ...bootstrap, pair: store.current });
    store.dropPendingKey();
  } finally {
    client.close();
  }
}
