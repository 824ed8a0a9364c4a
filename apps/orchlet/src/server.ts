import { core, node as nodeApi } from "@orchernetes/api";
import { formatDuration, isConflict, isNotFound } from "@orchernetes/apimachinery";
import {
  type Client,
  createClient,
  createEventRecorder,
  createInformer,
  type EventRecorder,
} from "@orchernetes/client";
import {
  type Check,
  createDaemonMetrics,
  createHealth,
  createPlainServing,
  type DaemonContext,
  pingCheck,
  respond,
  restClientMetrics,
  startTracing,
} from "@orchernetes/component";
import { isPodTerminal } from "@orchernetes/component-helpers";
import { createCriClient } from "@orchernetes/cri";
import { canMount } from "@orchernetes/cri/host";
import { systemClock } from "@orchernetes/kernel";
import { createAppArmorPolicy, isAppArmorEnabled } from "./admission/app-armor.ts";
import { createPodAdmission } from "./admission/pod-admission.ts";
import { createSysctlPolicy } from "./admission/sysctls.ts";
import type { Config } from "./config.ts";
import { createPodCgroups } from "./containers/cgroups.ts";
import { createDnsSettings } from "./containers/dns-settings.ts";
import { keepHouse } from "./housekeeping.ts";
import { createImagePuller } from "./images/image-puller.ts";
import { pullCredentials } from "./images/pull-secrets.ts";
import { allocatableOf } from "./node/capacity.ts";
import { createPressureMemory } from "./node/evict.ts";
import { machineInfo } from "./node/machine-info.ts";
import { createNodeController } from "./node/node-controller.ts";
import { keepNodeLease } from "./node/node-lease.ts";
import { hasNewResources, type NodeIdentity } from "./node/node-object.ts";
import { crossedSignals, observeNode, pressureOf, readSignals } from "./node/observe-node.ts";
import { followOwnNode } from "./node/own-node.ts";
import type { PodFacts } from "./objects/field-refs.ts";
import { createLastKnown } from "./objects/last-known.ts";
import { createObjectReaders, noObjects } from "./objects/object-reader.ts";
import { clearPod } from "./pods/clear-pod.ts";
import { createContainerKiller } from "./pods/container-killer.ts";
import { createPodManager, watchRuntime } from "./pods/pod-manager.ts";
import { createPodStarter } from "./pods/pod-starter.ts";
import type { PodWorkerServices } from "./pods/pod-worker-services.ts";
import { createProbeManager } from "./probes/probe-manager.ts";
import type { PodRuntime } from "./runtime/pod-runtime.ts";
import { createRuntimeHandlers } from "./runtime/runtime-handlers.ts";
import { createRuntimeReader } from "./runtime/runtime-reader.ts";
import { createAgentServer } from "./server/agent-server.ts";
import { podInformer } from "./sources/api-source.ts";
import { showsStatusOf } from "./sources/mirror-pods.ts";
import { createStaticPods } from "./sources/static-pods.ts";
import { createStatusManager } from "./status/status-manager.ts";
import { tracedCri } from "./tracing/traced-cri.ts";
import { isMirrorPod, podReference } from "./types/pod-identity.ts";
import { preparePaths } from "./util/paths.ts";
import { createServiceAccountTokens } from "./volumes/service-account-tokens.ts";
import { createVolumeManager } from "./volumes/volume-manager.ts";

/** An agent at work. */
export interface Agent {
  /** Stops working; containers keep running. */
  stop(): Promise<void>;
}

const crashBackoff = { initialMs: 10_000, maxMs: 300_000 };
const relistMs = 1000;
const syncLimitMs = 120_000;
const leastParallelSandboxes = 4;

/** Builds the agent from its configuration and starts it. */
export async function startAgent(config: Config, context: DaemonContext): Promise<Agent> {
  const { settings, nodeName } = config;
  const { logger } = context;
  const clock = systemClock;
  const stopping = new AbortController();
  const signal = AbortSignal.any([stopping.signal, context.signal]);
  for (const warning of config.warnings) logger.warn(warning);

  const paths = preparePaths(config.rootDir);
  const mayMount = await canMount();
  if (!mayMount)
    logger.warn(
      "This process may not mount: secrets and tokens of pods lie on the disk, in folders closed to other users",
      {
        rootDir: config.rootDir,
      },
    );
  const machine = machineInfo(config.rootDir);
  const metrics = createDaemonMetrics(config.metricFlags, signal);
  const tracer =
    settings.tracing === undefined
      ? undefined
      : await startTracing({ service: "orchlet", configuration: settings.tracing, logger, signal });
  const runtime = createCriClient({
    endpoint: settings.containerRuntimeEndpoint,
    imageEndpoint: settings.imageServiceEndpoint,
    timeoutMs: settings.runtimeRequestTimeout,
  });
  const cri = tracer === undefined ? runtime : tracedCri(runtime, tracer);
  const client: Client | undefined =
    config.api === undefined
      ? undefined
      : createClient({
          ...config.api,
          userAgent: "orchlet/v1.27",
          qps: settings.orchAPIQPS,
          burst: settings.orchAPIBurst,
          logger,
          metrics: restClientMetrics(metrics),
        });
  const events: EventRecorder | undefined =
    client === undefined
      ? undefined
      : createEventRecorder(client.with({ qps: settings.eventRecordQPS, burst: settings.eventBurst }), {
          component: "orchlet",
          host: nodeName,
          logger,
        });
  const reservations = settings;
  const allocatable = allocatableOf(machine, reservations);
  const identity: NodeIdentity = {
    name: nodeName,
    ips: config.nodeIPs,
    labels: config.nodeLabels,
    taints: settings.registerWithTaints,
    unschedulable: !config.registerSchedulable,
    providerID: settings.providerID,
    port: settings.port,
    machine,
    reservations,
  };
  const nodeRef = { kind: "Node", name: nodeName, uid: nodeName };
  const background: Promise<unknown>[] = [];

  const services = client === undefined ? undefined : createInformer(client, core.services, { logger });
  const runtimeClasses = client === undefined ? undefined : createInformer(client, nodeApi.runtimeClasses, { logger });
  const pods = client === undefined ? undefined : podInformer(client, nodeName, logger);
  const lastKnown = createLastKnown(clock);
  const objects = client === undefined ? noObjects : createObjectReaders(client, lastKnown, clock);
  const tokens = client === undefined ? undefined : createServiceAccountTokens(client, lastKnown, clock);
  const cgroups = createPodCgroups({
    root: settings.cgroupRoot,
    enabled: settings.cgroupsPerQOS,
    cpu: { quota: settings.cpuCFSQuota, periodMs: settings.cpuCFSQuotaPeriod },
    podPidsLimit: settings.podPidsLimit,
    active: () => activePods(),
    onError: (error, path) => logger.v(2)?.info("Control group could not be set up", { path, error }),
  });
  const puller = createImagePuller({
    cri,
    clock,
    parallel: settings.serializeImagePulls ? 1 : settings.maxParallelImagePulls,
  });
  const volumes = createVolumeManager({ paths, client, lastKnown, mayMount });
  const reader = createRuntimeReader(cri);
  const statuses = createStatusManager({
    client,
    shownBy: (pod) => {
      const shown = pods?.lister.get(pod.metadata.namespace ?? "", pod.metadata.name ?? "");
      return shown !== undefined && showsStatusOf(shown, pod) ? shown : undefined;
    },
    logger,
    signal,
  });
  const say: PodWorkerServices["say"] = (pod, container, type, reason, message) =>
    events?.event(podReference(pod, container), type, reason, message);
  const probes = createProbeManager({
    cri,
    clock,
    logger,
    results: metrics.counter({
      name: "prober_probe_total",
      help: "Cumulative number of a liveness, readiness or startup probe for a container by result.",
      labelNames: ["probe_type", "result", "container", "pod", "namespace", "pod_uid"],
    }),
    say: (pod, container, type, reason, message) =>
      say(pod, { kind: "regular", name: container.name }, type, reason, message),
    onChange: (uid) => manager.wake(uid),
  });
  const facts = (pod: core.Pod, runtime: PodRuntime): PodFacts => ({
    nodeName,
    hostIPs: config.nodeIPs,
    podIPs: pod.spec.hostNetwork ? config.nodeIPs : (runtime.sandboxes[0]?.ips ?? []),
    allocatable,
  });
  const starter = createPodStarter({
    cri,
    puller,
    cgroups,
    runtimeHandlers: createRuntimeHandlers(client, runtimeClasses),
    parallelSandboxes: Math.max(leastParallelSandboxes, machine.cpus),
    paths,
    objects: objects.of,
    services: () => services?.lister.list() ?? [],
    security: { seccompDefault: settings.seccompDefault, seccompDir: paths.seccomp },
    dns: createDnsSettings(settings),
    cpu: { quota: settings.cpuCFSQuota, periodMs: settings.cpuCFSQuotaPeriod },
    memoryBytes: machine.memoryBytes,
    hugePageSizes: [...machine.hugePages.keys()].map((size) => size.replace("i", "B")),
    credentials: (pod, image) => pullCredentials(pod, image, objects.of(pod.metadata.uid ?? "")),
  });

  const crossed = () => crossedSignals(readSignals(machine, config.rootDir), settings.evictionHard);
  const remembered = createPressureMemory(settings.evictionPressureTransitionPeriod);
  const pressure = () => pressureOf(remembered(crossed(), clock.monotonicMs()));
  const ownNode = followOwnNode({
    client,
    identity,
    allocatable,
    logger,
    onChange: ({ status }) => {
      if (hasNewResources(status)) node?.wake();
    },
  });
  const activePods = () =>
    manager.list().flatMap(({ pod, status }) => (pod === undefined || isPodTerminal({ status }) ? [] : [pod]));
  const admission = createPodAdmission({
    active: activePods,
    node: () => ownNode.current(),
    freshNode: (within) => ownNode.fresh(within),
    pressure,
    sysctls: createSysctlPolicy(settings.allowedUnsafeSysctls, machine.kernelVersion),
    appArmor: createAppArmorPolicy(isAppArmorEnabled),
  });
  const manager = createPodManager({
    clock,
    logger,
    signal,
    reader,
    starter,
    killer: createContainerKiller({ cri, clock, logger }),
    volumes,
    probes,
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
        return tokens.get(of, projection);
      },
    }),
    admission,
    say,
    release: async ({ uid }) => {
      await volumes.release(uid);
      await cgroups.remove(uid);
      tokens?.forget(uid);
      objects.forget(uid);
    },
    clear: async (runtime) => {
      await clearPod(runtime, { cri, volumes, cgroups, paths });
      puller.forget(runtime.uid);
      tokens?.forget(runtime.uid);
      objects.forget(runtime.uid);
    },
    deletePod: async (pod) => {
      if (client === undefined) return;
      const { name = "", namespace = "", uid = "" } = pod.metadata;
      try {
        await client
          .resource(core.pods)
          .namespace(namespace)
          .delete(name, { gracePeriodSeconds: 0, preconditions: { uid }, signal });
      } catch (error) {
        if (!isNotFound(error) && !isConflict(error)) throw error;
      }
    },
  });

  let lastRelistMs = clock.monotonicMs();
  const node =
    client === undefined
      ? undefined
      : createNodeController({
          client,
          identity,
          register: settings.registerNode,
          observe: () =>
            observeNode({
              cri,
              pressure,
              maxImages: settings.nodeStatusMaxImages,
              faults: () => {
                const agoMs = clock.monotonicMs() - lastRelistMs;
                const limitMs = 180_000;
                return agoMs < limitMs
                  ? []
                  : [
                      `PLEG is not healthy: pleg was last seen active ${formatDuration(agoMs)} ago; threshold is ${formatDuration(limitMs)}`,
                    ];
              },
            }),
          updateMs: settings.nodeStatusUpdateFrequency,
          reportMs: settings.nodeStatusReportFrequency,
          clock,
          logger,
          onTransition: (reason) =>
            events?.event(nodeRef, "Normal", reason, `Node ${nodeName} status is now: ${reason}`),
        });

  if (client !== undefined && node !== undefined && pods !== undefined && services !== undefined) {
    background.push(node.run(signal));
    background.push(
      keepNodeLease({
        client,
        nodeName,
        nodeUid: () => node.node?.metadata.uid,
        durationSeconds: settings.nodeLeaseDurationSeconds,
        clock,
        logger,
        signal,
      }),
    );
    background.push(services.run(signal), pods.run(signal), ownNode.run(signal));
    background.push(runtimeClasses?.run(signal) ?? Promise.resolve());
    events?.event(nodeRef, "Normal", "Starting", "Starting orchlet.");
  }

  const staticPods = createStaticPods({
    settings,
    nodeName,
    client,
    manager,
    shown: (namespace, name) => pods?.lister.get(namespace, name),
    allSourcesRead: () => allSourcesRead(),
    mirrors: () => (pods?.lister.list() ?? []).filter(isMirrorPod),
    nodeUid: () => node?.node?.metadata.uid,
    clock,
    logger,
    signal,
  });
  let apiRead = client === undefined;
  const allSourcesRead = () => apiRead && staticPods.allRead();
  background.push(
    keepHouse({
      config,
      cri,
      clock,
      logger,
      paths,
      manager,
      reader,
      volumes,
      cgroups,
      allSourcesRead,
      crossed,
      sayOfPod: (pod, type, reason, message) => say(pod, undefined, type, reason, message),
      signal,
    }),
    watchRuntime(reader, {
      periodMs: relistMs,
      signal,
      sleep: (ms) => clock.sleep(ms, signal).catch(() => undefined),
      onPod: (pod, changed) => {
        if (!manager.has(pod.uid)) {
          // A source that was not read yet may still want it.
          if (allSourcesRead()) manager.clearOrphan(pod);
        } else if (changed) manager.wake(pod.uid);
      },
      onRelist: () => {
        lastRelistMs = clock.monotonicMs();
      },
      onError: (error) => logger.error(error, "Unable to list the runtime's pods"),
    }),
  );
  const followPods = async (): Promise<void> => {
    await staticPods.start();
    // Without the services' addresses a container would start with half its environment.
    await services?.waitForSync(signal);
    pods?.addHandler({
      onAdd: (pod) => (isMirrorPod(pod) ? staticPods.mirrorChanged(pod) : manager.set(pod)),
      onUpdate: (_, pod) => (isMirrorPod(pod) ? staticPods.mirrorChanged(pod) : manager.set(pod)),
      onDelete: (pod) => (isMirrorPod(pod) ? staticPods.mirrorChanged(pod) : manager.remove(pod.metadata.uid)),
    });
    await pods?.waitForSync(signal);
    apiRead = true;
    void node?.registered.then(() => staticPods.mirrorAll());
  };
  background.push(
    followPods().catch((error: unknown) => {
      if (!signal.aborted) throw error;
    }),
  );

  const syncLoop: Check = {
    name: "syncloop",
    check() {
      const agoMs = clock.monotonicMs() - lastRelistMs;
      if (agoMs > syncLimitMs) throw new Error(`no look at the pods for ${formatDuration(agoMs)}`);
    },
  };
  const health = createHealth({
    healthz: [pingCheck, syncLoop],
    livez: [pingCheck, syncLoop],
    readyz: [pingCheck],
    logger,
  });
  const serving = settings.enableServer
    ? await createAgentServer({
        config,
        client,
        cri,
        manager,
        reader,
        machine,
        metrics,
        tracer,
        health,
        logger,
        signal,
        clock,
      })
    : undefined;
  const healthz =
    settings.healthzPort === 0
      ? undefined
      : await createPlainServing(
          { bindAddress: settings.healthzBindAddress, port: settings.healthzPort, logger },
          async (request, response) => {
            if (await health.handle(request, response)) return;
            respond(request, response, 404, { "content-type": "text/plain; charset=utf-8" }, "404 page not found\n");
          },
        );

  return {
    async stop() {
      stopping.abort();
      await Promise.all([serving?.close(), healthz?.close()]);
      await manager.stopped();
      await Promise.allSettled(background);
      cri.close();
      client?.close();
    },
  };
}
