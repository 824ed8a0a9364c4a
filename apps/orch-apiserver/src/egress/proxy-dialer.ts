import type { Duplex } from "node:stream";
import type { EgressConnection } from "@orchernetes/config";
import { assertNever, type Clock, type Dialer, type DialTarget, messageOf, targetText } from "@orchernetes/kernel";
import type { Tracer } from "@orchernetes/tracing";
import type { EgressLabels, EgressMetrics, EgressStage } from "./egress-metrics.ts";
import { httpConnect } from "./http-connect.ts";
import { dialKonnectivity } from "./konnectivity/tunnel.ts";
import { connectToProxy, type ProxyTls, proxyText } from "./proxy-link.ts";

/** A connection that goes through a proxy. */
export type ProxiedConnection = Exclude<EgressConnection, { readonly type: "direct" }>;

/** Options of {@link proxyDialer}. */
export interface ProxyDialerOptions {
  /** Name of the selection, for messages. */
  readonly name: string;
  readonly connection: ProxiedConnection;
  /** Returns the current TLS material; undefined if the proxy is used without TLS. */
  readonly tls: () => ProxyTls | undefined;
  readonly metrics: EgressMetrics;
  readonly clock: Clock;
  /** Records an attempt in a span of the present request. @default not recorded */
  readonly span?: Tracer["span"];
  /** Ends attempts to connect. */
  readonly signal: AbortSignal;
  /** Time limit for opening a tunnel, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 30_000;

const labelsOf = ({ type, transport }: ProxiedConnection): EgressLabels => ({
  protocol: type === "grpc" ? "grpc" : "http_connect",
  transport: transport.type,
});

/**
 * Creates a dialer that opens connections through a proxy. Each has a separate connection to the proxy, so that they cannot delay each other.
 * Errors name the selection, the proxy, the target and the reason.
 */
export function proxyDialer(options: ProxyDialerOptions): Dialer {
  const { name, connection, metrics, clock, timeoutMs = TIMEOUT_MS } = options;
  const labels = labelsOf(connection);
  const open: Dialer = async (target, caller) => {
    const late = new AbortController();
    const timer = clock.setTimeout(
      () => late.abort(new Error(`the tunnel was not open within ${timeoutMs} ms`)),
      timeoutMs,
    );
    const signal = AbortSignal.any([late.signal, options.signal, ...(caller === undefined ? [] : [caller])]);
    const fromMs = clock.monotonicMs();
    let stage: EgressStage = "connect";
    let link: Duplex | undefined;
    metrics.started(labels);
    try {
      signal.throwIfAborted();
      link = await connectToProxy(connection.transport, options.tls(), signal);
      stage = "proxy";
      const tunnel = await tunnelOver(link, connection, target, { signal, timeoutMs });
      metrics.connected(labels, (clock.monotonicMs() - fromMs) / 1000);
      return tunnel;
    } catch (cause) {
      link?.destroy();
      metrics.failed(labels, stage);
      const proxy = `the proxy of egress selection "${name}" (${proxyText(connection.transport)})`;
      throw new Error(`no connection to ${targetText(target)} through ${proxy}: ${messageOf(cause)}`, { cause });
    } finally {
      timer.clear();
    }
  };
  const { span } = options;
  if (span === undefined) return open;
  const spanName = `Proxy via ${labels.protocol} protocol over ${labels.transport}`;
  return (target, caller) => span(spanName, { address: targetText(target) }, () => open(target, caller));
}

/** Requests the tunnel in the protocol of the proxy. */
function tunnelOver(
  link: Duplex,
  { type }: ProxiedConnection,
  target: DialTarget,
  limits: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<Duplex> {
  switch (type) {
    case "httpConnect":
      return httpConnect(link, target, limits);
    case "grpc":
      return dialKonnectivity(link, target, limits.signal);
    default:
      return assertNever(type);
  }
}
