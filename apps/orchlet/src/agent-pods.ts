import { core } from "@orchernetes/api";
import { isConflict, isNotFound, valueOf as wholeValueOf } from "@orchernetes/apimachinery";
import { createAppArmorPolicy, isAppArmorEnabled } from "./admission/app-armor.ts";
import { createPodAdmission, type PodAdmission } from "./admission/pod-admission.ts";
import { createPreemption } from "./admission/preempt-pod.ts";
import { createSysctlPolicy } from "./admission/sysctls.ts";
import type { AgentApi, AgentHost } from "./agent-host.ts";
import { type AgentNode, nodeReference, reservedByEviction } from "./agent-node.ts";
import { type AgentCsi, createAgentCsi, createObjectSource } from "./agent-volumes.ts";
import type { PodCgroups } from "./container-manager/cgroups/pod-cgroups.ts";
import { podResources } from "./container-manager/cgroups/pod-resources.ts";
import { type ContainerManager, createContainerManager } from "./container-manager/container-manager.ts";
import type { ContainerManagerOptions } from "./container-manager/container-manager-options.ts";
import { createDnsSettings } from "./containers/dns.ts";
import type { ContainerResourcePolicy } from "./containers/resources.ts";
import { createCredentialProviders } from "./images/credentials/credential-providers.ts";
import { createImagePuller, type ImagePuller } from "./images/image-puller.ts";
import { pullCredentials } from "./images/pull-secrets.ts";
import { addLogMetrics } from "./metrics/log-metrics.ts";
import { addNodeWorkMetrics, type NodeWorkMetrics } from "./metrics/node-work-metrics.ts";
import { addPodLifeMetrics, type PodLifeMetrics } from "./metrics/pod-life-metrics.ts";
import { addPodMetrics } from "./metrics/pod-metrics.ts";
import type { PodFacts } from "./objects/field-refs.ts";
import { createLastKnown } from "./objects/last-known.ts";
import { createObjectReaders, noObjects, type ObjectReaders } from "./objects/object-reader.ts";
import { clearPod } from "./pods/clear-pod.ts";
import { createContainerKiller } from "./pods/container-killer.ts";
import { measuredStarter } from "./pods/measured-starter.ts";
import { createPodManager, type PodManager } from "./pods/pod-manager.ts";
import { createPodStarter, type PodStarter } from "./pods/pod-starter.ts";
import type { PodWorkerServices } from "./pods/pod-worker-services.ts";
import { PodWorkers } from "./pods/pod-workers.ts";
import { createProbeManager, type ProbeManager } from "./probes/probe-manager.ts";
import type { PodRuntime } from "./runtime/pod-runtime.ts";
import { createRuntimeHandlers } from "./runtime/runtime-handlers.ts";
import { createRuntimeReader, type RuntimeReader } from "./runtime/runtime-reader.ts";
import { refusalByShutdown } from "./shutdown/shutdown-state.ts";
import { showsStatusOf } from "./sources/mirror-pods.ts";
import { openUsageSource, type UsageSource } from "./stats/usage-source.ts";
import { createStatusManager, type StatusManager } from "./status/status-manager.ts";
import { allContainers, isMirrorPod, podReference } from "./types/pod-identity.ts";
import { ownsHost } from "./util/paths.ts";
import { createFlexDrivers } from "./volumes/flex-driver.ts";
import { measureVolume } from "./volumes/measure-volume.ts";
import { createServiceAccountTokens, type ServiceAccountTokens } from "./volumes/service-account-tokens.ts";
import { createVolumeManager, type VolumeManager } from "./volumes/volume-manager.ts";
import { VolumeStatsCollector } from "./volumes/volume-stats.ts";

/** Delays between restarts of a crashing container: 10 s, doubled with each crash up to 5 minutes. */
const crashBackoff = { initialMs: 10_000, maxMs: 300_000 };
/** Sandbox creation waits for the network plugin more than for the CPU, so small machines get some concurrency, too. */
const minParallelSandboxes = 4;

/** The pod manager of this node and the tools that it shares with housekeeping and the server. */
export interface AgentPods extends PodTools {
  readonly manager: PodManager;
  /** Where the statistics of the node and its pods come from. */
  readonly usage: UsageSource;
  /** Reads the metrics that cost more than a look, before the page is made. */
  refreshMetrics(): Promise<void>;
  /** Resolves when the statuses of all pods have been written, or could not be. */
  flushStatuses(): Promise<void>;
}

/** The tools that pods are run with. */
interface PodTools extends PodContent {
  readonly lives: PodLifeMetrics;
  readonly workers: PodWorkers;
  readonly reader: RuntimeReader;
  readonly containerManager: ContainerManager;
  readonly cgroups: PodCgroups;
  readonly puller: ImagePuller;
  readonly recordEvent: PodWorkerServices["recordEvent"];
}

/** Sources of the content of pods: volumes, objects and tokens. */
interface PodContent {
  readonly work: NodeWorkMetrics;
  readonly volumeStats: VolumeStatsCollector;
  readonly volumes: VolumeManager;
  /** Undefined without an API server, as are the tokens. */
  readonly csi: AgentCsi | undefined;
  readonly objects: ObjectReaders;
  readonly tokens: ServiceAccountTokens | undefined;
}

/** Creates the pod manager and its tools. It starts no pod: pods come from the sources, which are started later. */
export function createPods(host: AgentHost, api: AgentApi | undefined, node: AgentNode): AgentPods {
  const { config, clock, logger, signal, cri, tracer } = host;
  const { settings } = config;
  const tools = createTools(host, api, node);
  const facts = factsOf(host, node);
  const { objects, tokens } = tools;
  const statuses = createStatuses(host, api, tools);
  const manager = createPodManager(
    {
      clock,
      logger,
      signal,
      reader: tools.reader,
      starter: measuredStarter(createStarter(host, api, tools), host.metrics),
      killer: createContainerKiller({ cri, clock, logger }),
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
    podOf: (uid) => manager.list().find(({ identity }) => identity.uid === uid)?.pod,
    swap: featureEnabled("NodeSwap"),
  });
}

function createTools(host: AgentHost, api: AgentApi | undefined, node: AgentNode): PodTools {
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
    reader: createRuntimeReader(cri),
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

/** Records events of the node when there are credentials for it: the machine is set up before. */
const recordNodeEvents =
  ({ config, signal }: AgentHost, api: AgentApi | undefined): ContainerManagerOptions["recordEvent"] =>
  (type, reason, message) =>
    void api?.certificates.joined(signal).then(
      (isJoined) => {
        if (isJoined) api.events.event(nodeReference(config.nodeName), type, reason, message);
      },
      // Whoever needs the credentials reports that.
      () => undefined,
    );

function createContent(host: AgentHost, api: AgentApi | undefined, node: AgentNode, workers: PodWorkers): PodContent {
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

const factsOf =
  ({ config: { nodeName, nodeIPs } }: AgentHost, { allocatable }: AgentNode) =>
  (pod: core.Pod, runtime: PodRuntime): PodFacts => ({
    nodeName,
    hostIPs: nodeIPs,
    podIPs: pod.spec.hostNetwork ? nodeIPs : (runtime.sandboxes[0]?.ips ?? []),
    allocatable,
  });

function createStarter(host: AgentHost, api: AgentApi | undefined, tools: PodTools): PodStarter {
  const { config, cri, machine, paths } = host;
  const { settings, credentialProviders } = config;
  const { objects, puller, cgroups } = tools;
  const providers = credentialProviders && createCredentialProviders({ ...host, ...credentialProviders });
  return createPodStarter({
    cri,
    puller,
    cgroups,
    runtimeHandlers: createRuntimeHandlers(api?.client, api?.runtimeClasses),
    parallelSandboxes: Math.max(minParallelSandboxes, machine.cpus),
    paths,
    placement: (...container) => host.resources.placement(...container),
    prepareDevices: (...start) => host.resources.prepareStart(...start),
    objects: objects.of,
    services: () => api?.services.lister.list() ?? [],
    security: { seccompDefault: settings.seccompDefault, seccompDir: paths.seccomp },
    dns: createDnsSettings(settings),
    resources: resourcePolicyOf(host, tools.containerManager),
    credentials: async (pod, image) => [
      ...(await pullCredentials(pod, image, objects.of(pod.metadata.uid ?? ""))),
      ...((await providers?.credentialsFor(image)) ?? []),
    ],
  });
}

function resourcePolicyOf(
  { config: { settings, featureEnabled }, machine }: AgentHost,
  { cgroupVersion, allocatableMemoryBytes }: ContainerManager,
): ContainerResourcePolicy {
  const { memoryThrottlingFactor } = settings;
  const { swapBehavior } = settings.memorySwap;
  return {
    cpu: { quota: settings.cpuCFSQuota, periodMs: settings.cpuCFSQuotaPeriod },
    memoryBytes: machine.memoryBytes,
    allocatableMemoryBytes,
    hugePageSizes: [...machine.hugePages.keys()],
    swapBehavior: featureEnabled("NodeSwap") ? swapBehavior : undefined,
    memoryThrottlingFactor: featureEnabled("MemoryQoS") && cgroupVersion === 2 ? memoryThrottlingFactor : undefined,
  };
}

function createProbes({ cri, clock, logger, metrics }: AgentHost, { recordEvent, workers }: PodTools): ProbeManager {
  return createProbeManager({
    cri,
    clock,
    logger,
    results: metrics.counter({
      name: "prober_probe_total",
      help: "Cumulative number of a liveness, readiness or startup probe for a container by result.",
      labelNames: ["probe_type", "result", "container", "pod", "namespace", "pod_uid"],
    }),
    durations: metrics.histogram({
      name: "prober_probe_duration_seconds",
      help: "Duration in seconds for a probe response.",
      labelNames: ["probe_type", "container", "pod", "namespace"],
    }),
    recordEvent: (pod, container, type, reason, message) =>
      recordEvent(pod, { kind: "regular", name: container.name }, type, reason, message),
    onChange: (uid) => workers.wake(uid),
  });
}

function createStatuses(
  { clock, logger, signal }: AgentHost,
  api: AgentApi | undefined,
  { work }: Pick<PodTools, "work">,
): StatusManager {
  return createStatusManager({
    client: api?.client,
    clock,
    onWritten: work.statusWritten,
    shownBy: (pod) => {
      const shown = api?.pods.lister.get(pod.metadata.namespace ?? "", pod.metadata.name ?? "");
      return shown !== undefined && showsStatusOf(shown, pod) ? shown : undefined;
    },
    logger,
    signal,
  });
}

function createAdmission(host: AgentHost, node: AgentNode, { workers, recordEvent }: PodTools): PodAdmission {
  const { config, machine, metrics, clock, logger, signal } = host;
  const preemptions = metrics.counter({
    name: "orchlet_preemptions",
    help: "Cumulative number of pod preemptions by preemption resource",
    labelNames: ["preemption_signal"],
  });
  return createPodAdmission({
    active: () => workers.active(),
    node: () => node.ownNode.current(),
    freshNode: (within) => node.ownNode.fresh(within),
    pressure: node.pressure,
    closed: () => refusalByShutdown(node.shutdown),
    resources: host.resources,
    sysctls: createSysctlPolicy(config.settings.allowedUnsafeSysctls, machine.kernelVersion),
    appArmor: createAppArmorPolicy(isAppArmorEnabled),
    preempt: createPreemption({
      end: (uid, failure) => workers.end(uid, failure),
      recordEvent: (pod, reason, message) => recordEvent(pod, undefined, "Warning", reason, message),
      count: (resource) => preemptions.inc([resource]),
      disruption: config.featureEnabled("PodDisruptionConditions"),
      ...{ clock, logger, signal },
    }),
  });
}

/** The steps that follow when no container of a pod runs any longer. */
function podEnds(
  { cri, paths, signal, config, resources }: AgentHost,
  api: AgentApi | undefined,
  { volumes, cgroups, puller, tokens, objects }: PodTools,
): Pick<PodWorkerServices, "release" | "clear" | "deletePod"> {
  return {
    async release({ uid }) {
      // Then they go with the pod's other files.
      if (config.keepTerminatedPodVolumes !== true) await volumes.release(uid);
      await cgroups.remove(uid);
      resources.release(uid);
      tokens?.forget(uid);
      objects.forget(uid);
    },
    async clear(runtime) {
      await clearPod(runtime, { cri, volumes, cgroups, paths });
      resources.release(runtime.uid);
      puller.forget(runtime.uid);
      tokens?.forget(runtime.uid);
      objects.forget(runtime.uid);
    },
    async deletePod({ metadata: { name = "", namespace = "", uid = "" } }) {
      try {
        await api?.client
          .resource(core.pods)
          .namespace(namespace)
          .delete(name, { gracePeriodSeconds: 0, preconditions: { uid }, signal });
      } catch (error) {
        if (!isNotFound(error) && !isConflict(error)) throw error;
      }
    },
  };
}
