import type { Client, ClientConfig } from "@orchernetes/client";
import type { Metrics } from "@orchernetes/component";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { Config } from "../config.ts";
import { CertificateManager } from "./certificate-manager.ts";
import { measureCertificates } from "./certificate-metrics.ts";
import { CertificateStore } from "./certificate-store.ts";
import { clientCertificate, servingCertificate } from "./wanted-certificate.ts";

type Tls = Extract<NonNullable<ClientConfig["tls"]>, () => unknown>;

/** The certificates that the agent requests from the cluster. */
export interface AgentCertificates {
  /** The certificate of the server; undefined unless `serverTLSBootstrap` is set. */
  readonly serving: CertificateManager | undefined;
  /** TLS material of the client; undefined unless `rotateCertificates` is set: then it is that of the client configuration. */
  readonly tls: Tls | undefined;
  /** Keeps them until the signal aborts. */
  run(client: Client, signal: AbortSignal): readonly Promise<void>[];
}

/**
 * Prepares the certificates that the configuration asks for; none without an API server.
 *
 * @throws TlsMaterialError when the certificate of the client configuration cannot be used
 */
export function createAgentCertificates(
  { api, settings, certDir, nodeName, nodeIPs }: Config,
  { clock, logger, metrics }: { readonly clock: Clock; readonly logger: Logger; readonly metrics: Metrics },
): AgentCertificates {
  const serving =
    api !== undefined && settings.serverTLSBootstrap
      ? new CertificateManager({
          wanted: servingCertificate(nodeName, nodeIPs),
          store: new CertificateStore(certDir, "orchlet-server"),
          clock,
          logger,
        })
      : undefined;
  const client = api !== undefined && settings.rotateCertificates ? rotatingClient(api) : undefined;

  function rotatingClient({ tls = {} }: ClientConfig) {
    const base: Tls = typeof tls === "function" ? tls : () => tls;
    const { cert, key } = base();
    const manager = new CertificateManager({
      wanted: clientCertificate(nodeName),
      store: new CertificateStore(certDir, "orchlet-client"),
      initial: cert && key ? { certPem: cert.toString(), keyPem: key.toString() } : undefined,
      clock,
      logger,
    });
    return { manager, tls: withCertificate(base, manager) };
  }

  measureCertificates(metrics, { serving, client: client?.manager }, clock);
  const managers = [serving, client?.manager].filter((manager) => manager !== undefined);
  return {
    serving,
    tls: client?.tls,
    run: (apiClient, signal) => managers.map((manager) => manager.run(apiClient, signal)),
  };
}

/** Replaces the certificate of a client. The result stays the same object while nothing changes, so that connections are kept. */
function withCertificate(base: Tls, manager: CertificateManager): Tls {
  let known: { readonly of: ReturnType<Tls>; readonly pair: unknown; readonly tls: ReturnType<Tls> } | undefined;
  return () => {
    const of = base();
    const pair = manager.current();
    if (known === undefined || known.of !== of || known.pair !== pair)
      known = { of, pair, tls: pair === undefined ? of : { ...of, cert: pair.certPem, key: pair.keyPem } };
    return known.tls;
  };
}
