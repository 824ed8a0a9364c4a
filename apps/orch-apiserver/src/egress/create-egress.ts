import type { EgressSelection, EgressSelectionName, EgressTlsFiles } from "@orchernetes/config";
import { type Clock, type Dialer, type Logger, systemClock } from "@orchernetes/kernel";
import { type Followed, fixed, followFiles, loadCaBundle, loadServingPair } from "@orchernetes/tls";
import type { Tracer } from "@orchernetes/tracing";
import type { EgressMetrics } from "./egress-metrics.ts";
import { type ProxiedConnection, proxyDialer } from "./proxy-dialer.ts";
import type { ProxyTls } from "./proxy-link.ts";

/** How the API server connects to other networks: the selections of `--egress-selector-config-file` (KEP-1281). */
export interface Egress {
  /** Returns what opens the connections of a selection; undefined if they are opened directly. */
  dialer(name: EgressSelectionName): Dialer | undefined;
}

/** Options of {@link createEgress}. */
export interface EgressOptions {
  readonly metrics: EgressMetrics;
  /** Records attempts in spans. @default they are not recorded */
  readonly span?: Tracer["span"];
  readonly logger: Logger;
  /** Ends attempts to connect, and stops following files. */
  readonly signal: AbortSignal;
  /** @default systemClock */
  readonly clock?: Clock;
  /** Time limit for opening a connection, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number;
}

/**
 * Creates the dialers of an egress configuration. Files with TLS material are reloaded when they change.
 *
 * @throws TlsMaterialError if a file cannot be used
 */
export async function createEgress(selections: readonly EgressSelection[], options: EgressOptions): Promise<Egress> {
  const { clock = systemClock, metrics, signal, span, timeoutMs } = options;
  const dialers = new Map<EgressSelectionName, Dialer>();
  for (const { name, connection } of selections) {
    if (connection.type === "direct") continue;
    const tls = await followTls(connection, options);
    const optional = { ...(span && { span }), ...(timeoutMs !== undefined && { timeoutMs }) };
    dialers.set(name, proxyDialer({ name, connection, tls: () => tls.current(), metrics, clock, signal, ...optional }));
  }
  return { dialer: (name) => dialers.get(name) };
}

/** Follows the files of `tlsConfig`; the value is undefined if the transport has no TLS. */
async function followTls(
  { transport }: ProxiedConnection,
  { logger, signal }: EgressOptions,
): Promise<Followed<ProxyTls | undefined>> {
  if (transport.type !== "tcp" || transport.tls === undefined) return fixed(undefined);
  const { tls } = transport;
  const files = [tls.caBundle, tls.clientCert, tls.clientKey].filter((file) => file !== "");
  const message = "Changed files for connections to an egress proxy cannot be used; the previous ones stay in effect";
  return followFiles({
    files,
    load: () => loadTls(tls),
    signal,
    onError: (error) => logger.error(error, message, { files }),
  });
}

async function loadTls({ caBundle, clientCert, clientKey }: EgressTlsFiles): Promise<ProxyTls> {
  const { certPem, keyPem } = await loadServingPair(clientCert, clientKey);
  const ca = caBundle === "" ? undefined : (await loadCaBundle(caBundle)).pem;
  return { ca, cert: certPem, key: keyPem };
}
