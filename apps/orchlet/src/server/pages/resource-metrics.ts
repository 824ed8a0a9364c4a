import type { CriClient } from "@orchernetes/cri";
import { type Clock, type Logger, messageOf } from "@orchernetes/kernel";
import { availableMemory, type MachineInfo, usedCpuSeconds } from "../../node/machine-info.ts";
import { type Family, labelText, MetricsPage } from "../../stats/metrics-page.ts";
import { byPod, type ContainerUsage, containerUsages, podUsage } from "./container-usage.ts";

/** The families of the page in the order in which they are written, with their help and type. */
const families = {
  container_cpu_usage_seconds_total: [
    "[ALPHA] Cumulative cpu time consumed by the container in core-seconds",
    "counter",
  ],
  container_memory_working_set_bytes: ["[ALPHA] Current working set of the container in bytes", "gauge"],
  container_start_time_seconds: ["[ALPHA] Start time of the container since unix epoch in seconds", "gauge"],
  node_cpu_usage_seconds_total: ["[ALPHA] Cumulative cpu time consumed by the node in core-seconds", "counter"],
  node_memory_working_set_bytes: ["[ALPHA] Current working set of the node in bytes", "gauge"],
  pod_cpu_usage_seconds_total: ["[ALPHA] Cumulative cpu time consumed by the pod in core-seconds", "counter"],
  pod_memory_working_set_bytes: ["[ALPHA] Current working set of the pod in bytes", "gauge"],
  scrape_error: ["[ALPHA] 1 if there was an error while getting container metrics, 0 otherwise", "gauge"],
} as const satisfies Readonly<Record<string, Family>>;

type ResourcePage = MetricsPage<keyof typeof families>;

/** Where the figures come from. */
export interface ResourceMetricsOptions {
  readonly cri: CriClient;
  readonly machine: Pick<MachineInfo, "memoryBytes">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The response of `/metrics/resource`, in the Prometheus text format: usage of the node, its pods and their running
 * containers, which the metrics server reads. Samples have the time at which the runtime measured them, in milliseconds.
 * If the runtime does not answer, the page consists of `scrape_error 1`.
 */
export async function resourceMetrics(options: ResourceMetricsOptions): Promise<string> {
  const page: ResourcePage = new MetricsPage(families);
  try {
    const usages = await containerUsages(options.cri);
    addNode(page, options);
    for (const usage of usages) addContainer(page, usage);
    for (const containers of byPod(usages).values()) addPod(page, containers);
    page.add("scrape_error", "", 0);
  } catch (error) {
    options.logger.warn("Unable to read the usage of containers", { error: messageOf(error) });
    page.add("scrape_error", "", 1);
  }
  return page.text();
}

/** Nanoseconds since the epoch in milliseconds. */
const toMs = (nanos: bigint): number => Number(nanos / 1_000_000n);

function addNode(page: ResourcePage, { machine, clock }: ResourceMetricsOptions): void {
  const now = clock.nowMs();
  page.add("node_cpu_usage_seconds_total", "", usedCpuSeconds(), now);
  page.add("node_memory_working_set_bytes", "", machine.memoryBytes - availableMemory(), now);
}

function addContainer(page: ResourcePage, { pod, name, createdAt, stats }: ContainerUsage): void {
  const labels = labelText({ container: name, namespace: pod.namespace, pod: pod.name });
  if (createdAt > 0n) page.add("container_start_time_seconds", labels, Number(createdAt / 1000n) / 1e6);
  const { cpu, memory } = stats;
  if (cpu?.usageCoreNanoSeconds !== undefined)
    page.add("container_cpu_usage_seconds_total", labels, cpu.usageCoreNanoSeconds / 1e9, toMs(cpu.timestamp));
  if (memory?.workingSetBytes !== undefined)
    page.add("container_memory_working_set_bytes", labels, memory.workingSetBytes, toMs(memory.timestamp));
}

function addPod(page: ResourcePage, containers: readonly ContainerUsage[]): void {
  const { name, namespace } = containers[0]?.pod ?? { name: "", namespace: "" };
  const labels = labelText({ namespace, pod: name });
  const { cpu, memory } = podUsage(containers);
  if (cpu !== undefined)
    page.add("pod_cpu_usage_seconds_total", labels, cpu.usageCoreNanoSeconds / 1e9, toMs(cpu.timestamp));
  if (memory !== undefined)
    page.add("pod_memory_working_set_bytes", labels, memory.workingSetBytes, toMs(memory.timestamp));
}
