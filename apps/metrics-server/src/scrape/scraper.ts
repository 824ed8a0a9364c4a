import { type Clock, type Logger, messageOf } from "@orchernetes/kernel";
import type { NodeView } from "../cluster/node-view.ts";
import type { PodView } from "../cluster/pod-view.ts";
import type { MetricsBatch, PodPoints } from "../storage/metrics-batch.ts";
import type { MetricsPoint } from "../storage/metrics-point.ts";
import type { MayReport, NodeReport } from "./node-report.ts";
import type { OrchletClient } from "./orchlet-client.ts";
import type { ScrapeMetrics } from "./scrape-metrics.ts";

/** What a reading of all nodes needs. */
export interface ScraperOptions {
  /** The nodes to read. */
  readonly nodes: () => readonly NodeView[];
  /** The pods of a node. */
  readonly podsOn: (node: string) => readonly PodView[];
  readonly client: OrchletClient;
  /** Time limit for a node, in milliseconds. */
  readonly timeoutMs: number;
  readonly metrics: ScrapeMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
  /** @default Math.random */
  readonly random?: () => number;
}

/** Requests are spread over 8 ms for each node, and over 4 s at most, so that they do not begin at once. */
const SPREAD_MS_PER_NODE = 8;
const MAX_SPREAD_MS = 4000;

/**
 * Reads all nodes at the same time. A node that fails, or is late, is missing in the result.
 *
 * @param signal ends the reading
 */
export async function scrapeNodes(options: ScraperOptions, signal: AbortSignal): Promise<MetricsBatch> {
  const { logger, clock, random = Math.random } = options;
  const all = options.nodes();
  const startMs = clock.monotonicMs();
  const spreadMs = Math.min(SPREAD_MS_PER_NODE * all.length, MAX_SPREAD_MS);
  const nodes = new Map<string, MetricsPoint>();
  const pods = new Map<string, PodPoints>();
  await Promise.all(
    all.map(async (node) => {
      const report = await readNode(options, node, random() * spreadMs, signal);
      if (report === undefined) return;
      if (report.node !== undefined) nodes.set(node.metadata.name ?? "", report.node);
      for (const [key, points] of report.pods) pods.set(key, points);
    }),
  );
  const durationMs = Math.round(clock.monotonicMs() - startMs);
  logger.v(1)?.info("Scrape finished", { durationMs, nodeCount: nodes.size, podCount: pods.size });
  return { nodes, pods };
}

async function readNode(
  options: ScraperOptions,
  node: NodeView,
  delayMs: number,
  signal: AbortSignal,
): Promise<NodeReport | undefined> {
  const { client, timeoutMs, metrics, clock, logger } = options;
  const name = node.metadata.name ?? "";
  const limit = new AbortController();
  try {
    await clock.sleep(delayMs, signal);
  } catch {
    return undefined;
  }
  const startMs = clock.monotonicMs();
  const timer = clock.setTimeout(() => limit.abort(new Error(`no response within ${timeoutMs / 1000}s`)), timeoutMs);
  try {
    const report = await client.read(node, ownPods(options.podsOn(name)), AbortSignal.any([signal, limit.signal]));
    metrics.requested(name, true, clock.monotonicMs() - startMs);
    if (report.node === undefined) logger.v(1)?.info("Failed getting complete node metric", { node: name });
    return report;
  } catch (error) {
    if (signal.aborted) return undefined;
    metrics.requested(name, false, clock.monotonicMs() - startMs);
    const reason = messageOf(limit.signal.aborted ? limit.signal.reason : error);
    if (node.isReady) logger.error(reason, "Failed to scrape node", { node: name });
    else logger.v(4)?.info("Failed to scrape node, node is not ready", { node: name, error: reason });
    return undefined;
  } finally {
    timer.clear();
  }
}

/** A node may report the containers of its own pods, and nothing else. */
function ownPods(pods: readonly PodView[]): MayReport {
  const containers = new Map(
    pods.map(({ metadata, containers }) => [`${metadata.namespace}/${metadata.name}`, new Set(containers)]),
  );
  return (pod, container) => containers.get(pod)?.has(container) === true;
}
