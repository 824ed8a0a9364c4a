import type { core } from "@orchernetes/api";
import { addLogMetrics } from "../metrics/log-metrics.ts";
import { addHookFallbacks, addPodMetrics } from "../metrics/pod-metrics.ts";
import { createContainerKiller } from "../pods/container-killer.ts";
import { measuredStarter } from "../pods/measured-starter.ts";
import { createPodManager, type PodManager } from "../pods/pod-manager.ts";
import { openUsageSource, type UsageSource } from "../stats/usage-source.ts";
import { allContainers, isMirrorPod } from "../types/pod-identity.ts";
import type { VolumeStatsCollector } from "../volumes/volume-stats.ts";
import type { AgentApi, AgentHost } from "./agent-host.ts";
import type { AgentNode } from "./agent-node.ts";
import { createAdmission, createProbes, createStatuses, factsOf, podEnds } from "./pod-services.ts";
import { createStarter } from "./pod-starting.ts";
import { createTools, type PodTools } from "./pod-tools.ts";

/** Delays between restarts of a crashing container: 10 s, doubled with each crash up to 5 minutes. */
const crashBackoff = { initialMs: 10_000, maxMs: 300_000 };

/** The pod manager of this node and the tools that it shares with housekeeping and the server. */
export interface AgentPods extends PodTools {
  readonly manager: PodManager;
  /** Where the statistics of the node and its pods come from. */
  readonly usage: UsageSource;
  /** Updates the metrics that are expensive to read, before the page is written. */
  refreshMetrics(): Promise<void>;
  /** Resolves when the statuses of all pods have been written, or could not be. */
  flushStatuses(): Promise<void>;
}

/** Creates the pod manager and its tools. It starts no pod: pods come from the sources, which are started later. */
export function createPods(host: AgentHost, api: AgentApi | undefined, node: AgentNode): AgentPods {
  const { config, clock, logger, signal, cri, tracer } = host;
  const { settings } = config;
  const tools = createTools(host, api, node);
  const facts = factsOf(host, node);
  const { objects, tokens } = tools;
  const statuses = createStatuses(host, api, tools);
  const hookFallbacks = addHookFallbacks(host.metrics);
  const killer = createContainerKiller({ cri, clock, logger, hookFallbacks });
  const networkError = () => node.network.error();
  const manager = createPodManager(
    {
      clock,
      logger,
      signal,
      reader: tools.reader,
      starter: measuredStarter(
        createStarter(host, api, { ...tools, killer, networkError }, hookFallbacks),
        host.metrics,
      ),
      killer,
      volumes: tools.volumes,
      probes: createProbes(host, tools),
      statuses,
      crashBackoff,
      syncMs: settings.syncFrequency,
      tracer,
      hostIPs: () => config.nodeIPs,
      facts,
      contentSources: (pod, runtime) => ({
        objects: objects.of(pod.metadata.uid ?? ""),
        facts: facts(pod, runtime),
        token: async (of, projection) => {
          if (tokens === undefined) throw new Error("service account tokens need an API server");
          return (await tokens.get(of, projection)).token;
        },
      }),
      admission: createAdmission(host, node, tools),
      recordEvent: tools.recordEvent,
      lives: tools.lives,
      ...podEnds(host, api, tools),
    },
    tools.workers,
  );
  addPodMetrics(host.metrics, config.nodeName, {
    desired: () => manager.list().flatMap(({ pod, removed }) => (pod === undefined || removed ? [] : [pod])),
    active: () => tools.workers.active(),
    mirrors: () => (api?.pods.lister.list() ?? []).filter(isMirrorPod).length,
    working: () => manager.list(),
  });
  return {
    ...tools,
    manager,
    refreshMetrics: addLogMetrics(
      host.metrics,
      () => manager.list().map(({ identity, pod }) => ({ identity, containers: containerNames(pod) })),
      (pod) => host.paths.logs(pod),
    ),
    usage: usageOf(host, manager, tools.volumeStats),
    flushStatuses: async () =>
      void (await Promise.all(manager.list().map(({ identity }) => statuses.flushed(identity.uid)))),
  };
}

const containerNames = (pod: core.Pod | undefined): readonly string[] =>
  pod === undefined ? [] : allContainers(pod).map(({ container }) => container.name);

/** Where the statistics of the node and its pods come from. */
function usageOf(
  { config, cri, machine, paths, clock, fileSystems }: AgentHost,
  manager: PodManager,
  volumeStats: VolumeStatsCollector,
): UsageSource {
  const { settings, nodeName, rootDir, runtimeCgroups = "", featureEnabled } = config;
  return openUsageSource({
    ...{ cri, clock, machine, fileSystems, nodeName, rootDir, settings, runtimeCgroups },
    systemCgroups: settings.systemCgroups,
    folders: config.hostFolders,
    logs: (pod) => paths.logs(pod),
    volumes: (uid) => volumeStats.of(uid),
    podOf: (uid) => manager.get(uid)?.pod,
    swap: featureEnabled("NodeSwap"),
  });
}
