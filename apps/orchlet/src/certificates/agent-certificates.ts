import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Client, type ClientConfig, loadClientConfig } from "@orchernetes/client";
import type { Metrics } from "@orchernetes/component";
import type { Clock, Logger } from "@orchernetes/kernel";
import { type ClientMaterial, materialOf } from "../config/bootstrap.ts";
import type { Config } from "../config.ts";
import { CertificateManager } from "./certificate-manager.ts";
import { measureCertificates } from "./certificate-metrics.ts";
import { CertificateStore } from "./certificate-store.ts";
import { joinCluster } from "./join-cluster.ts";
import { clientCertificate, servingCertificate } from "./wanted-certificate.ts";
import { warnOfExpiry } from "./warn-of-expiry.ts";

/** The certificates that the agent requests from the cluster. */
export interface AgentCertificates {
  /** The certificate of the server; undefined unless `serverTLSBootstrap` is set. */
  readonly serving: CertificateManager | undefined;
  /** TLS material of the client; undefined if it is that of the client configuration. */
  readonly tls: ClientMaterial | undefined;
  /**
   * Resolves with true when the agent has credentials for the API server: at once, unless it must request its first certificate
   * with the credentials of `--bootstrap-orchconfig`. Resolves with false if the signal aborts. All callers share the request and
   * the signal of the first.
   */
  joined(signal: AbortSignal): Promise<boolean>;
  /** Keeps the certificates, and warns before they expire, until the signal aborts. */
  run(client: Client, signal: AbortSignal): readonly Promise<void>[];
}

/**
 * Prepares the certificates that the configuration asks for; none without an API server.
 *
 * @throws TlsMaterialError when the certificate of the client configuration cannot be used
 */
export function createAgentCertificates(
  { api, bootstrap, settings, certDir, nodeName, nodeIPs }: Config,
  tools: { readonly clock: Clock; readonly logger: Logger; readonly metrics: Metrics },
): AgentCertificates {
  const { clock, logger, metrics } = tools;
  const serving =
    api !== undefined && settings.serverTLSBootstrap
      ? new CertificateManager({
          wanted: servingCertificate(nodeName, nodeIPs),
          store: new CertificateStore(certDir, "orchlet-server"),
          clock,
          logger,
        })
      : undefined;
  const wanted = clientCertificate(nodeName);
  const store = new CertificateStore(certDir, "orchlet-client");
  const own = api && ownMaterial(api);
  const manager =
    own !== undefined && settings.rotateCertificates
      ? rotating(own.current(), { wanted, store, clock, logger })
      : undefined;
  const clientLeaf = manager?.leaf ?? leafOf(() => own?.current().cert);
  const servingLeaf = serving?.leaf ?? leafOf(() => textOf(settings.tlsCertFile));
  measureCertificates(metrics, { serving, client: manager, clientLeaf }, clock);

  let joined: Promise<boolean> | undefined;
  const join = async (signal: AbortSignal): Promise<boolean> => {
    if (bootstrap === undefined) return true;
    if (!(await joinCluster({ bootstrap, wanted, store, clock, logger, signal }))) return false;
    // From here on, the state is the same as after a restart.
    own?.replace(loadClientConfig(bootstrap.target));
    manager?.reload();
    return true;
  };
  return {
    serving,
    tls:
      own === undefined || (manager === undefined && bootstrap === undefined)
        ? undefined
        : withCertificate(own.current, manager),
    joined(signal) {
      joined ??= join(signal);
      return joined;
    },
    run: (client, signal) => [
      ...[serving, manager].filter((one) => one !== undefined).map((one) => one.run(client, signal)),
      warnOfExpiry(
        [
          { use: "client", isRenewed: manager !== undefined, leaf: clientLeaf },
          { use: "serving", isRenewed: serving !== undefined, leaf: servingLeaf },
        ],
        { clock, logger, signal },
      ),
    ],
  };
}

/** The TLS material of a client configuration that can be replaced by another. */
function ownMaterial(api: ClientConfig): { readonly current: ClientMaterial; replace(by: ClientConfig): void } {
  let material = materialOf(api);
  return {
    current: () => material(),
    replace(by) {
      material = materialOf(by);
    },
  };
}

function rotating(
  { cert, key }: ReturnType<ClientMaterial>,
  options: Omit<ConstructorParameters<typeof CertificateManager>[0], "initial">,
): CertificateManager {
  const initial = cert && key ? { certPem: cert.toString(), keyPem: key.toString() } : undefined;
  return new CertificateManager({ ...options, initial });
}

/** Replaces the certificate of a client. The result stays the same object while nothing changes, so that connections are kept. */
function withCertificate(base: ClientMaterial, manager: CertificateManager | undefined): ClientMaterial {
  if (manager === undefined) return base;
  let known:
    | { readonly of: ReturnType<ClientMaterial>; readonly pair: unknown; readonly tls: ReturnType<ClientMaterial> }
    | undefined;
  return () => {
    const of = base();
    const pair = manager.current();
    if (known === undefined || known.of !== of || known.pair !== pair)
      known = { of, pair, tls: pair === undefined ? of : { ...of, cert: pair.certPem, key: pair.keyPem } };
    return known.tls;
  };
}

/** The certificate in a text, parsed when the text changes; undefined without one that can be read. */
function leafOf(text: () => string | Buffer | undefined): () => X509Certificate | undefined {
  let known: { readonly text: string; readonly leaf: X509Certificate | undefined } | undefined;
  return () => {
    const now = text()?.toString() ?? "";
    if (known?.text !== now) known = { text: now, leaf: parsed(now) };
    return known.leaf;
  };
}

function parsed(text: string): X509Certificate | undefined {
  try {
    return text === "" ? undefined : new X509Certificate(text);
  } catch {
    return undefined;
  }
}

function textOf(file: string): string {
  try {
    return file === "" ? "" : readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
