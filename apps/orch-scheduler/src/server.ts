import { randomInt } from "node:crypto";
import { hostname } from "node:os";
import { core } from "@orchernetes/api";
import { type Client, createEventSeriesRecorder, createInformer, type EventRecorder } from "@orchernetes/client";
import type { DaemonContext } from "@orchernetes/component";
import { type Logger, systemClock, systemEventLoop } from "@orchernetes/kernel";
import { type DaemonParts, type DaemonWork, electionOf, runElectedDaemon } from "@orchernetes/leader-election";
import { Interned } from "./cache/interned.ts";
import { slimNode } from "./cache/slim-node.ts";
import { slimPod } from "./cache/slim-pod.ts";
import { followState } from "./cluster/cluster-state.ts";
import type { Config } from "./config.ts";
import { configurationHandler } from "./debug/configuration-handler.ts";
import { EXPLAIN_PATH, explainHandler } from "./debug/explain-handler.ts";
import { SNAPSHOT_PATH, snapshotHandler } from "./debug/snapshot-handler.ts";
import { AttemptRecords } from "./extender/attempt-records.ts";
import { createExtenders } from "./extender/create-extenders.ts";
import type { Extender } from "./extender/extender.ts";
import { extenderBinder } from "./extender/extender-binder.ts";
import { ignoredResources } from "./extender/ignored-resources.ts";
import { preEnqueueOf } from "./framework/pre-enqueue.ts";
import type { Profile } from "./framework/profile.ts";
import { WaitingPods } from "./framework/waiting-pods.ts";
import { type CycleInstruments, cycleInstruments, ProfileMeter } from "./metrics/profile-meter.ts";
import { queueMetrics } from "./metrics/queue-metrics.ts";
import { resourceMetrics } from "./metrics/resource-metrics.ts";
import { schedulerMetrics } from "./metrics/scheduler-metrics.ts";
import { volumeMetrics } from "./metrics/volume-metrics.ts";
import { pluginEventRecorder } from "./plugin-events.ts";
import type { PluginHandle } from "./plugin-handle.ts";
import { createProfile } from "./profile/create-profile.ts";
import { SchedulingQueue } from "./queue/scheduling-queue.ts";
import { RandomNumbers } from "./random-numbers.ts";
import { Scheduler } from "./scheduler.ts";
import { switchedGates } from "./switched-gates.ts";
import { createReserveVolumes } from "./volumes/reserve-volumes.ts";

const NAME = "orch-scheduler";

/** Each profile has its own recorder: users distinguish schedulers by the reporter of their events. */
function recordersOf(
  profiles: Config["settings"]["profiles"],
  client: Client,
  logger: Logger,
  signal: AbortSignal,
): (schedulerName: string) => EventRecorder {
  // A separate rate limit, so that events and bindings do not delay each other.
  const eventClient = client.with({});
  const make = (component: string) =>
    createEventSeriesRecorder(eventClient, { component, host: hostname(), logger, signal });
  const byName = new Map(profiles.map(({ schedulerName }) => [schedulerName, make(schedulerName)]));
  const other = make(NAME);
  return (schedulerName) => byName.get(schedulerName) ?? other;
}

/**
 * Follows pods and nodes, serves health and metrics, and schedules while it is the leader. Followers keep their caches
 * up to date, so that a new leader can decide immediately.
 *
 * @throws Error when leadership is lost; the process ends, and its supervisor restarts it
 */
export function runServer(config: Config, context: DaemonContext): Promise<void> {
  const { flags, settings, tokenReviewClient, accessReviewClient, warnings } = config;
  return runElectedDaemon({
    name: NAME,
    flags,
    client: config.client,
    rateLimit: config.rateLimit,
    contentTypes: config.contentTypes,
    tokenReviewClient,
    accessReviewClient,
    profiling: settings.enableProfiling ? { contention: settings.enableContentionProfiling } : undefined,
    election: electionOf(settings.leaderElection),
    warnings,
    context,
    work: (parts) => schedulerOf(config, context.logger, parts),
  });
}

/** What the plugins of a profile get. */
const handlesOf =
  (
    { settings, gates }: Config,
    shared: Pick<PluginHandle, "cluster" | "client" | "waitingPods" | "logger">,
    recorderOf: (schedulerName: string) => EventRecorder,
  ) =>
  (schedulerName: string): PluginHandle => ({
    ...shared,
    eventRecorder: pluginEventRecorder(recorderOf(schedulerName)),
    isEnabled: (feature) => gates.enabled(feature),
    ignoredResources: ignoredResources(settings.extenders),
    clock: systemClock,
  });

/** The profiles; their pods are bound by the extender that binds them, if there is one. */
function createProfiles(
  { settings, userPlugins }: Config,
  handleOf: (schedulerName: string) => PluginHandle,
  extenders: readonly Extender[],
  checkWrite: () => void,
): readonly Profile[] {
  const binders = extenders.length === 0 ? [] : [extenderBinder(extenders, checkWrite)];
  return settings.profiles.map((one) => {
    const plugins = userPlugins.get(one.schedulerName);
    const profile = createProfile(one, settings.percentageOfNodesToScore, handleOf(one.schedulerName), plugins);
    return { ...profile, binds: [...binders, ...profile.binds] };
  });
}

/** The informers of pods that are not finished, and of nodes. */
function followNodes(client: Client, { extenders }: Config["settings"], logger: Logger) {
  const options = { logger, pageSize: 5000 };
  const sharing = new Interned();
  const pods = createInformer<core.Pod>(client, core.pods, {
    ...options,
    transform: (pod) => slimPod(pod, sharing),
    fieldSelector: "status.phase!=Succeeded,status.phase!=Failed",
  });
  // Extenders without a cache of nodes get whole nodes.
  const isNodeSent = extenders.some(({ nodeCacheCapable }) => !nodeCacheCapable);
  const nodes = createInformer<core.Node>(client, core.nodes, {
    ...options,
    transform: isNodeSent ? (node) => node : (node) => slimNode(node, sharing),
  });
  return { pods, nodes };
}

function measuredPreEnqueue(profiles: readonly Profile[], cycles: CycleInstruments, logger: Logger) {
  const now = () => systemClock.monotonicMs();
  const meters = new Map(profiles.map((profile) => [profile, new ProfileMeter(cycles, profile, now, Math.random)]));
  return preEnqueueOf(
    profiles,
    (profile) => meters.get(profile)?.begin(),
    ({ name }, { key }, error) => logger.error(error, "A PreEnqueue plugin failed", { plugin: name, pod: key }),
  );
}

function schedulerOf(
  config: Config,
  logger: Logger,
  { client, metrics, stop, heldLease, checkWrite }: DaemonParts,
): DaemonWork {
  const { flags, settings, gates } = config;
  const { pods, nodes } = followNodes(client, settings, logger);
  const random = new RandomNumbers(randomInt(2 ** 32));
  const cluster = followState(client, logger, random.next);
  const reserveVolumes = createReserveVolumes({
    client,
    caches: cluster.volumeCaches,
    podExists: ({ key, uid }) => pods.lister.byKey(key)?.metadata.uid === uid,
    node: (name) => nodes.lister.byKey(name),
    clock: systemClock,
    failed: volumeMetrics(metrics),
  });
  const waiting = new WaitingPods(systemClock);
  const extenders = createExtenders(settings.extenders, stop);
  const attempts = new AttemptRecords({ now: () => systemClock.now(), seed: () => random.state });
  const recorderOf = recordersOf(settings.profiles, client, logger, stop);
  const shared = { cluster: { ...cluster.state, reserveVolumes }, client, waitingPods: waiting, logger };
  const handleOf = handlesOf(config, shared, recorderOf);
  const profiles = createProfiles(config, handleOf, extenders, checkWrite);
  const [first] = profiles;
  const cycles = cycleInstruments(metrics);
  const queue = new SchedulingQueue({
    clock: systemClock,
    preEnqueue: measuredPreEnqueue(profiles, cycles, logger),
    ...(first !== undefined && { queueSort: first.queueSort }),
    initialBackoffMs: settings.podInitialBackoffSeconds * 1000,
    maxBackoffMs: settings.podMaxBackoffSeconds * 1000,
    maxUnschedulableMs: flags["pod-max-in-unschedulable-pods-duration"],
    metrics: queueMetrics(metrics),
  });
  const scheduler = new Scheduler({
    client,
    pods,
    nodes,
    cluster,
    profiles,
    queue,
    waiting,
    recorder: recorderOf,
    metrics: schedulerMetrics(metrics, queue, cycles),
    logger,
    clock: systemClock,
    loop: systemEventLoop,
    random: random.next,
    heldLease,
    extenders,
    attempts,
    parallelism: settings.parallelism,
    victimsHaveCondition: gates.enabled("PodDisruptionConditions"),
  });
  let leads = false;
  const informers = [pods, nodes, ...cluster.informers];
  const seen = {
    isSynced: () => informers.every((informer) => informer.hasSynced()),
    queue,
    view: () => scheduler.view,
    random,
    clock: systemClock,
    loop: systemEventLoop,
  };
  return {
    paths: {
      "/configz": configurationHandler(settings),
      // As in the original, a standby serves none: those of the leader would be counted twice.
      "/metrics/resources": resourceMetrics(() => (leads ? pods.lister.list() : []), systemEventLoop),
      [EXPLAIN_PATH]: explainHandler({
        ...seen,
        pod: (key) => pods.lister.byKey(key),
        revision: cluster.revision,
        extenders: scheduler.extenderServices,
      }),
      [SNAPSHOT_PATH]: snapshotHandler({
        ...seen,
        configuration: settings,
        featureGates: Object.fromEntries(switchedGates.map((name) => [name, gates.enabled(name)])),
        attempts,
        pods: () => pods.lister.list(),
        objects: cluster.objects,
      }),
    },
    follow: (signal) => {
      for (const informer of informers) void informer.run(signal);
    },
    lead(signal) {
      leads = true;
      return scheduler.run(signal);
    },
  };
}
