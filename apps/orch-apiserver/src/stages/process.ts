import { createDaemonMetrics, type DaemonContext, type Metrics } from "@orchernetes/component";
import { type EventLoop, type Logger, systemEventLoop } from "@orchernetes/kernel";
import { startTracing, type Tracer } from "@orchernetes/tracing";
import type { Config } from "../config.ts";
import { createEgress, type Egress } from "../egress/create-egress.ts";
import { egressMetrics } from "../egress/egress-metrics.ts";
import type { Flags } from "../flags/index.ts";

/** What every stage gets: the configuration, logging, metrics, tracing and egress. */
export interface ServerProcess {
  readonly config: Config;
  readonly flags: Flags;
  /** Names of the flags that were on the command line. */
  readonly explicit: ReadonlySet<string>;
  readonly logger: Logger;
  readonly loop: EventLoop;
  readonly metrics: Metrics;
  /** Undefined without `--tracing-config-file`. */
  readonly tracer: Tracer | undefined;
  /** Opens connections, some of them through proxies. */
  readonly egress: Egress;
  /** Aborts when the server is asked to stop: from then on it accepts no new work. */
  readonly stopping: AbortSignal;
  /** Aborts when all requests have been answered: then all parts stop. */
  readonly ended: AbortSignal;
}

/** The first stage: starts metrics and tracing, and prepares egress, which the other stages use. */
export async function startProcess(
  config: Config,
  { logger, explicit }: Pick<DaemonContext, "logger" | "explicit">,
  { stopping, ended }: Pick<ServerProcess, "stopping" | "ended">,
): Promise<ServerProcess> {
  const { flags, tracing } = config;
  const metrics = createDaemonMetrics(flags, ended);
  let tracer: Tracer | undefined;
  const span: Tracer["span"] = (name, attributes, work) =>
    tracer === undefined ? work() : tracer.span(name, attributes, work);
  const egress = await createEgress(config.egress, { metrics: egressMetrics(metrics), span, logger, signal: ended });
  if (tracing !== undefined) {
    // As upstream, the collector is in the network of the control plane.
    const dial = egress.dialer("controlplane");
    tracer = await startTracing({ service: "apiserver", configuration: tracing, logger, signal: ended, dial });
  }
  return {
    config: throughEgress(config, egress),
    flags,
    explicit,
    logger,
    loop: systemEventLoop,
    metrics,
    tracer,
    egress,
    stopping,
    ended,
  };
}

/** The services that review tokens and access are in the network of the control plane, as upstream. */
function throughEgress(config: Config, egress: Egress): Config {
  const dial = egress.dialer("controlplane");
  if (dial === undefined) return config;
  const { tokenWebhook, authorizationWebhook } = config;
  return {
    ...config,
    tokenWebhook: tokenWebhook && { ...tokenWebhook, dial },
    authorizationWebhook: authorizationWebhook && {
      ...authorizationWebhook,
      service: { ...authorizationWebhook.service, dial },
    },
  };
}

/** Returns an option for spreading into options, or nothing if its value is undefined, so that the default applies. */
export function given<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: V });
}
