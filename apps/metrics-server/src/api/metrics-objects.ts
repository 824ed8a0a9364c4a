import { formatDuration, formatTime, Quantity, type Stored } from "@orchernetes/apimachinery";
import type { NodeView } from "../cluster/node-view.ts";
import type { PodView } from "../cluster/pod-view.ts";
import type { PodUsage } from "../storage/metric-storage.ts";
import type { Usage } from "../storage/metrics-point.ts";
import type { NodeMetrics, PodMetrics } from "./kinds.ts";

const amounts = ({ nanoCores, memoryBytes }: Pick<Usage, "nanoCores" | "memoryBytes">) => ({
  cpu: new Quantity(nanoCores).canonical(),
  memory: Quantity.of(memoryBytes, "BinarySI").canonical(),
});

const measured = ({ timestampMs, windowMs }: Pick<Usage, "timestampMs" | "windowMs">) => ({
  timestamp: formatTime(new Date(timestampMs)),
  window: formatDuration(windowMs),
});

/** Labels are those of the node or pod; the object itself is created for each response. */
const metadataOf = ({ metadata }: Stored<NodeView> | Stored<PodView>, now: Date) => ({
  name: metadata.name,
  ...(metadata.namespace && { namespace: metadata.namespace }),
  creationTimestamp: formatTime(now),
  ...(metadata.labels && { labels: metadata.labels }),
});

/** The usage of a node as an item of a list of the API. */
export function nodeMetrics(node: Stored<NodeView>, usage: Usage, now: Date): NodeMetrics {
  return { metadata: metadataOf(node, now), ...measured(usage), usage: amounts(usage) };
}

/** The usage of a pod as an item of a list of the API. */
export function podMetrics(pod: Stored<PodView>, usage: PodUsage, now: Date): PodMetrics {
  const containers = usage.containers.map((container) => ({ name: container.name, usage: amounts(container) }));
  return { metadata: metadataOf(pod, now), ...measured(usage), containers };
}
