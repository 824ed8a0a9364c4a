import { type Metrics, metricsContentType } from "@orchernetes/component";
import type { OrchletConfiguration } from "@orchernetes/config";
import type { CriClient } from "@orchernetes/cri";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { MachineInfo } from "../node/machine-info.ts";
import type { PodManager } from "../pods/pod-manager.ts";
import { resourceMetrics } from "./resource-metrics.ts";
import { statsSummary } from "./stats.ts";

/** A page that takes no parameters: its content type and body. */
export type Page = () => Promise<readonly [type: string, body: string]> | readonly [type: string, body: string];

/** The pages of the agent without parameters, by path. */
export function agentPages(options: {
  readonly settings: OrchletConfiguration;
  readonly nodeName: string;
  readonly rootDir: string;
  readonly cri: CriClient;
  readonly manager: PodManager;
  readonly machine: MachineInfo;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly logger: Logger;
}): Readonly<Record<string, Page>> {
  const { settings, nodeName, rootDir, cri, manager, machine, metrics, clock, logger } = options;
  const startTime = clock.now().toISOString();
  const json = (value: object) => ["application/json", JSON.stringify(value)] as const;
  const allMetrics = () => [metricsContentType, metrics.render()] as const;
  return {
    "/pods": () => json(podList(manager.list())),
    "/runningpods": () => json(podList(manager.list().filter(({ status }) => status?.phase === "Running"))),
    "/metrics": allMetrics,
    "/metrics/probes": allMetrics,
    "/metrics/resource": async () => [metricsContentType, await resourceMetrics({ cri, machine, clock, logger })],
    "/stats/summary": async () =>
      json(await statsSummary({ cri, nodeName, machine, rootDir, startTime, now: clock.now() })),
    "/configz": () => json({ orchletconfig: settings }),
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
