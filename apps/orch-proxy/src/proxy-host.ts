import { hostname } from "node:os";
import {
  type Client,
  type ClientConfig,
  createClient,
  createEventSeriesRecorder,
  type EventRecorder,
} from "@orchernetes/client";
import {
  createDaemonMetrics,
  type DaemonContext,
  type Metrics,
  restClientMetrics,
  version,
} from "@orchernetes/component";
import { type Clock, type Logger, systemClock } from "@orchernetes/kernel";
import type { Config } from "./config.ts";
import { ProxyHealth } from "./health/proxy-health.ts";
import { type ProxyMetrics, proxyMetrics } from "./metrics.ts";
import { NodeEvents } from "./node-events.ts";
import { type ClusterInformers, clusterInformers } from "./state/cluster-informers.ts";
import { ChangeLog } from "./sync/change-log.ts";

/** What every part of the daemon is built from: its settings, the API server and what is measured. */
export interface ProxyHost {
  readonly config: Config;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborts when the daemon stops. */
  readonly signal: AbortSignal;
  readonly metrics: Metrics;
  readonly proxyMetrics: ProxyMetrics;
  readonly client: Client;
  readonly events: EventRecorder;
  readonly nodeEvents: NodeEvents;
  /** Shared by all parts; {@link ClusterInformers.run} is called once every part has added its handlers. */
  readonly informers: ClusterInformers;
  readonly health: ProxyHealth;
  readonly changes: ChangeLog;
  /** Ends the daemon with an error: whatever runs it starts it again, with what has changed. */
  end(error: Error): void;
}

const NAME = "orch-proxy";

/** Connects to the API server; no request is sent yet. */
export function createProxyHost(
  config: Config,
  connection: ClientConfig,
  { logger, signal, end }: Pick<DaemonContext, "logger" | "signal"> & Pick<ProxyHost, "end">,
): ProxyHost {
  const { settings, nodeName } = config;
  const clock = systemClock;
  const metrics = createDaemonMetrics(config.metricFlags, signal);
  const measured = proxyMetrics(metrics);
  const { qps, burst } = settings.clientConnection;
  const client = createClient({
    ...connection,
    qps,
    burst,
    contentTypes: config.contentTypes,
    userAgent: `${NAME}/${version.gitVersion} (${version.platform}) orchernetes`,
    logger,
    metrics: restClientMetrics(metrics),
  });
  const events = createEventSeriesRecorder(client, { component: NAME, host: hostname(), logger, signal });
  return {
    config,
    clock,
    logger,
    signal,
    metrics,
    proxyMetrics: measured,
    client,
    events,
    nodeEvents: new NodeEvents(events, nodeName),
    informers: clusterInformers(client, { nodeName, resyncMs: settings.configSyncPeriod, logger }),
    // Twice the longest interval between two synchronizations, as in the original.
    health: new ProxyHealth(clock, 2 * settings.iptables.syncPeriod),
    changes: new ChangeLog(measured, clock),
    end,
  };
}
