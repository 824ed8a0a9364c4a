import { type Metrics, metricsContentType } from "@orchernetes/component";
import { type OrchletConfiguration, orchletDocument } from "@orchernetes/config";
import type { CriClient } from "@orchernetes/cri";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { MachineInfo } from "../../node/machine-info.ts";
import type { PodManager } from "../../pods/pod-manager.ts";
import { cadvisorMetrics } from "../../stats/cadvisor/cadvisor.ts";
import { createSummaryReader } from "../../stats/summary/summary.ts";
import type { UsageSource } from "../../stats/usage-source.ts";
import { resourceMetrics } from "./resource-metrics.ts";
import { runningPodList } from "./running-pod-list.ts";
import { sharedRead } from "./shared-read.ts";

/** A page: its content type and body. */
export type Page = (
  query: URLSearchParams,
) => Promise<readonly [type: string, body: string]> | readonly [type: string, body: string];

type Pages = Readonly<Record<string, Page>>;

/** Metrics that are served at `/metrics/probes`, and not at `/metrics`: they have labels of every pod. */
const probeMetrics: ReadonlySet<string> = new Set(["prober_probe_total", "prober_probe_duration_seconds"]);

/** A boolean of the original's query: these texts are true. */
const isOn = (query: URLSearchParams, name: string): boolean =>
  ["1", "t", "T", "TRUE", "true", "True"].includes(query.get(name) ?? "");

const json = (value: object) => ["application/json", JSON.stringify(value)] as const;

/** The pages that every server of the agent has, the read-only one too. Reads of the runtime are shared by those who wait for them. */
export function openPages(options: {
  readonly cri: CriClient;
  readonly manager: PodManager;
  readonly machine: MachineInfo;
  readonly metrics: Metrics;
  /** Updates the metrics that are expensive to read, before the page is written. */
  readonly refreshMetrics?: () => Promise<void>;
  readonly usage: UsageSource;
  readonly clock: Clock;
  readonly logger: Logger;
}): Pages {
  const { cri, manager, machine, metrics, usage, clock, logger } = options;
  const readSummary = createSummaryReader(usage);
  const summary = sharedRead(() => readSummary(false));
  const cpuAndMemory = sharedRead(() => readSummary(true));
  const containers = sharedRead(() => cadvisorMetrics(usage, logger));
  const refresh = options.refreshMetrics && sharedRead(options.refreshMetrics);
  const resources = sharedRead(() => resourceMetrics({ cri, machine, clock, logger }));
  const shown = () => new Set(metrics.describe().flatMap(({ name }) => (probeMetrics.has(name) ? [] : [name])));
  return {
    "/pods": () => json(podList(manager.list())),
    "/metrics": async () => {
      await refresh?.();
      return [metricsContentType, metrics.render(shown())];
    },
    "/metrics/probes": () => [
      metricsContentType,
      metrics.render(new Set([...probeMetrics, "process_start_time_seconds"])),
    ],
    "/metrics/resource": async () => [metricsContentType, await resources()],
    "/metrics/cadvisor": async () => [metricsContentType, await containers()],
    "/stats/summary": async (query) => json(await (isOn(query, "only_cpu_and_memory") ? cpuAndMemory() : summary())),
  };
}

/** The pages of the debugging handlers. */
export function debugPages(options: {
  readonly settings: OrchletConfiguration;
  readonly cri: CriClient;
  readonly machine: MachineInfo;
}): Pages {
  const { settings, cri, machine } = options;
  const running = sharedRead(() => runningPodList(cri));
  return {
    "/runningpods": async () => json(await running()),
    "/configz": () => json({ orchletconfig: orchletDocument(settings) }),
    "/spec": () =>
      json({
        num_cores: machine.cpus,
        memory_capacity: machine.memoryBytes,
        machine_id: machine.machineID,
        system_uuid: machine.systemUUID,
        boot_id: machine.bootID,
      }),
  };
}

/**
 * The pods of these workers as a PodList, each with its latest status, which may not have reached the API server yet.
 */
const podList = (workers: ReturnType<PodManager["list"]>): object => ({
  kind: "PodList",
  apiVersion: "v1",
  metadata: {},
  items: workers.flatMap(({ pod, status }) => (pod === undefined ? [] : [{ ...pod, status: status ?? pod.status }])),
});
