import type { PodCgroups } from "../container-manager/cgroups/pod-cgroups.ts";
import { type ContainerManager, createContainerManager } from "../container-manager/container-manager.ts";
import type { ContainerManagerOptions } from "../container-manager/container-manager-options.ts";
import { createImagePuller, type ImagePuller } from "../images/image-puller.ts";
import { addPodLifeMetrics, type PodLifeMetrics } from "../metrics/pod-life-metrics.ts";
import type { PodWorkerServices } from "../pods/pod-worker-services.ts";
import { PodWorkers } from "../pods/pod-workers.ts";
import { createRuntimeReader, type RuntimeReader } from "../runtime/runtime-reader.ts";
import { podReference } from "../types/pod-identity.ts";
import { ownsHost } from "../util/paths.ts";
import type { AgentApi, AgentHost } from "./agent-host.ts";
import { type AgentNode, nodeReference, reservedByEviction } from "./agent-node.ts";
import { createContent, type PodContent } from "./pod-content.ts";

/** The tools that pods are run with. */
export interface PodTools extends PodContent {
  readonly lives: PodLifeMetrics;
  readonly workers: PodWorkers;
  readonly reader: RuntimeReader;
  readonly containerManager: ContainerManager;
  readonly cgroups: PodCgroups;
  readonly puller: ImagePuller;
  readonly recordEvent: PodWorkerServices["recordEvent"];
}

/** Creates the tools that pods are run with. */
export function createTools(host: AgentHost, api: AgentApi | undefined, node: AgentNode): PodTools {
  const { config, clock, logger, cri } = host;
  const { settings } = config;
  const workers = new PodWorkers();
  const lives = addPodLifeMetrics(host.metrics, clock);
  const containerManager = createContainerManager({
    ...{ settings, clock, logger },
    machine: host.machine,
    evictionHard: reservedByEviction(config),
    featureEnabled: config.featureEnabled,
    metrics: host.metrics,
    ownsHost: ownsHost(config.rootDir),
    active: () => workers.active(),
    recordEvent: recordNodeEvents(host, api),
    folders: config.hostFolders,
    busSocket: config.busSocket,
  });
  return {
    ...createContent(host, api, node, workers),
    workers,
    reader: createRuntimeReader(cri, clock, config.nodeIPs),
    lives,
    containerManager,
    cgroups: containerManager.podCgroups,
    puller: createImagePuller({
      cri,
      clock,
      parallel: settings.serializeImagePulls ? 1 : settings.maxParallelImagePulls,
      qps: settings.registryPullQPS,
      burst: settings.registryBurst,
      onPulled: lives.pulled,
    }),
    recordEvent: (pod, container, type, reason, message) =>
      api?.events.event(podReference(pod, container), type, reason, message),
  };
}

/** Records events of the node once there are credentials for it: the machine is set up earlier. */
const recordNodeEvents =
  ({ config, signal }: AgentHost, api: AgentApi | undefined): ContainerManagerOptions["recordEvent"] =>
  (type, reason, message) =>
    void api?.certificates.joined(signal).then(
      (isJoined) => {
        if (isJoined) api.events.event(nodeReference(config.nodeName), type, reason, message);
      },
      // Other users of the credentials report the error.
      () => undefined,
    );
