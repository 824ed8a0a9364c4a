import type { core } from "@orchernetes/api";
import { valueOf as wholeValueOf } from "@orchernetes/apimachinery";
import { podResources } from "../container-manager/cgroups/pod-resources.ts";
import { addNodeWorkMetrics, type NodeWorkMetrics } from "../metrics/node-work-metrics.ts";
import { createLastKnown } from "../objects/last-known.ts";
import { createObjectReaders, noObjects, type ObjectReaders } from "../objects/object-reader.ts";
import type { PodWorkers } from "../pods/pod-workers.ts";
import { createServiceAccountTokens, type ServiceAccountTokens } from "../volumes/content/service-account-tokens.ts";
import { measureVolume } from "../volumes/measure-volume.ts";
import { createFlexDrivers } from "../volumes/plugins/flex-driver.ts";
import { createVolumeManager, type VolumeManager } from "../volumes/volume-manager.ts";
import { VolumeStatsCollector } from "../volumes/volume-stats.ts";
import type { AgentApi, AgentHost } from "./agent-host.ts";
import type { AgentNode } from "./agent-node.ts";
import { type AgentCsi, createAgentCsi, createObjectSource } from "./agent-volumes.ts";

/** Sources of the content of pods: volumes, objects and tokens. */
export interface PodContent {
  readonly work: NodeWorkMetrics;
  readonly volumeStats: VolumeStatsCollector;
  readonly volumes: VolumeManager;
  /** Undefined without an API server, as are the tokens. */
  readonly csi: AgentCsi | undefined;
  readonly objects: ObjectReaders;
  readonly tokens: ServiceAccountTokens | undefined;
}

/** Creates the sources of the content of this node's pods. */
export function createContent(
  host: AgentHost,
  api: AgentApi | undefined,
  node: AgentNode,
  workers: PodWorkers,
): PodContent {
  const { clock, logger, config, paths, mayMount, fileSystems } = host;
  const { nodeName, settings } = config;
  const client = api?.client;
  const lastKnown = createLastKnown(clock);
  const tokens = client === undefined ? undefined : createServiceAccountTokens(client, lastKnown, clock);
  const csi = api && createAgentCsi(host, api, node);
  const volumes = createVolumeManager({
    ...{ paths, nodeName, client, lastKnown, mayMount },
    csi: csi && tokens && { mounter: csi.mounter, token: (pod, request) => tokens.get(pod, request) },
    flex: createFlexDrivers(settings.volumePluginDir),
    ...(config.featureEnabled("SizeMemoryBackedVolumes") && { memoryBytes: memoryOfPod(node) }),
    mounter: config.mounterPath || "mount",
  });
  const work = addNodeWorkMetrics(host.metrics);
  return {
    volumes,
    work,
    volumeStats: new VolumeStatsCollector({
      ...{ clock, logger, periodMs: settings.volumeStatsAggPeriod },
      pods: () =>
        workers.active().flatMap((pod) => {
          const prepared = volumes.prepared(pod.metadata.uid ?? "");
          return prepared === undefined ? [] : [{ pod, volumes: prepared }];
        }),
      measure: (...volume) =>
        measureVolume({ paths, fileSystems, clock, mounter: csi?.mounter, onMeasured: work.volumeMeasured }, ...volume),
    }),
    csi,
    objects: api === undefined ? noObjects : createObjectReaders(createObjectSource(host, api, node), lastKnown),
    tokens,
  };
}

/** Memory that a pod may take: its limit, if each of its containers has one, and what all pods together may have. */
const memoryOfPod =
  ({ allocatable }: AgentNode) =>
  (pod: core.Pod): number => {
    const all = wholeValueOf(allocatable.memory ?? "0");
    const { memoryLimitBytes = 0 } = podResources(pod);
    return memoryLimitBytes > 0 ? Math.min(memoryLimitBytes, all) : all;
  };
