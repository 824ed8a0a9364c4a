import { createInformer } from "@orchernetes/client";
import type { Check, DaemonContext, Metrics } from "@orchernetes/component";
import { type Clock, systemClock } from "@orchernetes/kernel";
import { type DaemonParts, type DaemonWork, runElectedDaemon } from "@orchernetes/leader-election";
import { createMetricsApi } from "./api/create-metrics-api.ts";
import { nodeView, nodeViews } from "./cluster/node-view.ts";
import { podView, podViews } from "./cluster/pod-view.ts";
import type { Config } from "./config.ts";
import { agentCredentials } from "./scrape/agent-credentials.ts";
import { Collector } from "./scrape/collector.ts";
import { createOrchletClient } from "./scrape/orchlet-client.ts";
import { createScrapeMetrics } from "./scrape/scrape-metrics.ts";
import { scrapeNodes } from "./scrape/scraper.ts";
import { MetricStorage } from "./storage/metric-storage.ts";

/** Serves the metrics API and reads the nodes until the signal of the context aborts. All replicas do the same. */
export function runServer(config: Config, context: DaemonContext, clock: Clock = systemClock): Promise<void> {
  const { flags, client, tokenReviewClient, accessReviewClient } = config;
  return runElectedDaemon({
    name: "metrics-server",
    flags,
    client,
    rateLimit: undefined,
    tokenReviewClient,
    accessReviewClient,
    profiling: flags.profiling ? {} : undefined,
    election: undefined,
    warnings: [],
    context,
    work: (parts) => createWork(config, parts, context, clock),
  });
}

const BY_NODE = "node";

function createWork(config: Config, parts: DaemonParts, { logger }: DaemonContext, clock: Clock): DaemonWork {
  const { flags, nodeSelector } = config;
  const { client, metrics, health, stop } = parts;
  const resolutionMs = flags["metric-resolution"];
  const watching = { logger, clock };
  const nodes = createInformer(client, nodeViews, { ...watching, transform: nodeView });
  const pods = createInformer(client, podViews, {
    ...watching,
    transform: podView,
    fieldSelector: "status.phase=Running",
    indexers: { [BY_NODE]: (pod) => pod.node || undefined },
  });
  const storage = new MetricStorage({ resolutionMs });
  const agents = createOrchletClient({ ...agentCredentials(flags, config.client), flags, clock });
  const scrapeMetrics = createScrapeMetrics(metrics, resolutionMs, clock);
  const scraping = {
    nodes: () => nodes.lister.list().filter(({ metadata }) => nodeSelector.matches(metadata.labels)),
    podsOn: (node: string) => pods.lister.byIndex(BY_NODE, node),
    client: agents,
    timeoutMs: flags["orchlet-request-timeout"],
    metrics: scrapeMetrics,
    clock,
    logger,
  };
  const scrape = (signal: AbortSignal) => scrapeNodes(scraping, signal);
  const collector = new Collector({ scrape, storage, resolutionMs, metrics: scrapeMetrics, clock });
  health.add(informersCheck("metadata-informer-sync", nodes, pods));
  health.add(informersCheck("metric-informer-sync", nodes, pods), ["readyz"]);
  health.add(storageCheck(storage), ["readyz"]);
  health.add(collector.timelyCheck, ["livez"]);
  countPoints(metrics, storage);
  const freshness = metrics.histogram({
    name: "metrics_server_api_metric_freshness_seconds",
    help: "Freshness of metrics exported",
    buckets: FRESHNESS_BUCKETS,
  });
  const sources = {
    storage,
    nodes: nodes.lister,
    pods: pods.lister,
    nodeSelector,
    observeFreshness: (seconds: number) => freshness.observe(seconds),
  };
  return {
    serve(access, routes) {
      const api = createMetricsApi({ ...sources, access, routes, clock, logger, signal: stop });
      return async (request, response) => api.handleRequest(request, response);
    },
    async lead(signal) {
      const running = [nodes.run(signal), pods.run(signal)];
      try {
        await Promise.all([nodes.waitForSync(signal), pods.waitForSync(signal)]);
        await collector.run(signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        agents.close();
        await Promise.all(running);
      }
    },
  };
}

/** 1 s to about 350 s, each a third above the one before. */
const FRESHNESS_BUCKETS = Array.from({ length: 20 }, (_, i) => 1.364 ** i);

interface SyncedInformer {
  readonly ref: { readonly plural: string };
  hasSynced(): boolean;
}

function informersCheck(name: string, ...informers: readonly SyncedInformer[]): Check {
  return {
    name,
    check() {
      const late = informers.filter((informer) => !informer.hasSynced()).map(({ ref }) => ref.plural);
      if (late.length > 0) throw new Error(`${late.length} informers not started yet: [${late.join(" ")}]`);
    },
  };
}

function storageCheck(storage: MetricStorage): Check {
  return {
    name: "metric-storage-ready",
    check() {
      if (!storage.isReady()) throw new Error("no metrics to serve");
    },
  };
}

function countPoints(metrics: Metrics, storage: MetricStorage): void {
  metrics.gauge({
    name: "metrics_server_storage_points",
    help: "Number of metrics points stored.",
    labelNames: ["type"],
    collect(gauge) {
      const { nodes, containers } = storage.points();
      gauge.set(nodes, ["node"]);
      gauge.set(containers, ["container"]);
    },
  });
}
