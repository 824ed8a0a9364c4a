import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { core } from "@orchernetes/api";
import { systemClock } from "@orchernetes/apimachinery";
import {
  type Client,
  type ClientConfig,
  createClient,
  createEventRecorder,
  createInformer,
  type EventRecorder,
} from "@orchernetes/client";
import {
  createDaemonMetrics,
  createDaemonServer,
  createHealth,
  type DaemonContext,
  type Logger,
  pingCheck,
  type ReviewClient,
  restClientMetrics,
  version,
} from "@orchernetes/component";
import { createLeaderElector, createLock, type LeaderElector, lockClientOf } from "@orchernetes/leader-election";
import { slimNode } from "./cache/slim-node.ts";
import { slimPod } from "./cache/slim-pod.ts";
import { followState } from "./cluster-state.ts";
import type { Config } from "./config.ts";
import { createProfile } from "./create-profile.ts";
import type { Profile } from "./framework/profile.ts";
import { schedulerMetrics } from "./metrics.ts";
import { SchedulingQueue } from "./queue/scheduling-queue.ts";
import { Scheduler } from "./scheduler.ts";

const NAME = "orch-scheduler";
/** Events are written after bindings, one by one: a burst of pods leaves a tail of them. */
const MAX_UNWRITTEN_EVENTS = 10_000;
/** How much longer than its lease a leader may go without renewing before `/healthz` fails. */
const ELECTION_TOLERANCE_MS = 20_000;

const userAgent = (): string => `${NAME}/${version.gitVersion} (${version.platform}) orchernetes`;

/** Reviews through a client configuration, if there is one. */
function reviewOf(config: ClientConfig | undefined): ReviewClient | undefined {
  if (config === undefined) return undefined;
  const client = createClient({ ...config, userAgent: userAgent() });
  return (path, body, signal) => client.request({ method: "POST", path, body, signal });
}

/** Users tell schedulers apart by the source of their events: each profile has a recorder of its own. */
function recordersOf(
  profiles: readonly Profile[],
  client: Client,
  logger: Logger,
  signal: AbortSignal,
): (schedulerName: string) => EventRecorder {
  const make = (component: string) =>
    createEventRecorder(client, { component, logger, signal, queueSize: MAX_UNWRITTEN_EVENTS });
  const byName = new Map(profiles.map(({ schedulerName }) => [schedulerName, make(schedulerName)]));
  const other = make(NAME);
  return (schedulerName) => byName.get(schedulerName) ?? other;
}

function electorOf(
  config: Config,
  client: Client,
  context: DaemonContext,
  work: (signal: AbortSignal) => Promise<void>,
): LeaderElector | undefined {
  const { leaderElection: election } = config.settings;
  if (!election.leaderElect) return undefined;
  // The rate limit of the work must not delay renewals.
  const lockClient = client.with({ userAgent: `${userAgent()}/leader-election`, qps: 0 });
  return createLeaderElector({
    lock: createLock(
      election.resourceLock,
      lockClientOf(lockClient),
      election.resourceNamespace,
      election.resourceName,
    ),
    identity: `${hostname()}_${randomUUID()}`,
    leaseDurationMs: election.leaseDuration,
    renewDeadlineMs: election.renewDeadline,
    retryPeriodMs: election.retryPeriod,
    callbacks: { onStartedLeading: work },
    events: createEventRecorder(lockClient, { component: NAME, logger: context.logger, signal: context.signal }),
    logger: context.logger,
  });
}

/**
 * Follows pods and nodes, serves health and metrics, and schedules while it leads.
 * @throws Error when leadership is lost: the process ends and is started anew by its supervisor.
 */
export async function runServer(config: Config, context: DaemonContext): Promise<void> {
  const { flags, settings } = config;
  const { logger, signal } = context;
  for (const warning of config.warnings) logger.warn(warning);
  const stop = new AbortController();
  const metrics = createDaemonMetrics(flags, stop.signal);
  const client = createClient({
    ...config.client,
    ...config.rateLimit,
    userAgent: userAgent(),
    logger,
    metrics: restClientMetrics(metrics),
  });
  try {
    const options = { logger, pageSize: 5000 };
    const pods = createInformer<core.Pod>(client, core.pods, {
      ...options,
      transform: slimPod,
      fieldSelector: "status.phase!=Succeeded,status.phase!=Failed",
    });
    const nodes = createInformer<core.Node>(client, core.nodes, { ...options, transform: slimNode });
    const queue = new SchedulingQueue({
      clock: systemClock,
      initialBackoffMs: settings.podInitialBackoffSeconds * 1000,
      maxBackoffMs: settings.podMaxBackoffSeconds * 1000,
      maxUnschedulableMs: flags["pod-max-in-unschedulable-pods-duration"],
    });
    const cluster = followState(client, logger, Math.random);
    const profiles = settings.profiles.map((profile) =>
      createProfile(profile, settings.percentageOfNodesToScore, cluster.state),
    );
    const recorders = recordersOf(profiles, client, logger, stop.signal);
    const scheduler = new Scheduler({
      client,
      pods,
      nodes,
      cluster,
      profiles,
      queue,
      recorder: recorders,
      metrics: schedulerMetrics(metrics, queue),
      logger,
      clock: systemClock,
    });
    const elector = electorOf(config, client, context, (lead) => scheduler.run(lead));
    metrics.gauge({
      name: "leader_election_master_status",
      help: "1 while this process leads, else 0.",
      labelNames: ["name"],
      collect: (gauge) => gauge.set(elector === undefined || elector.isLeader() ? 1 : 0, [NAME]),
    });
    const health = createHealth({ logger, metrics, healthz: [pingCheck], livez: [pingCheck], readyz: [pingCheck] });
    if (elector !== undefined)
      health.add({ name: "leaderElection", check: () => elector.check(ELECTION_TOLERANCE_MS) }, ["healthz"]);
    const tokenReview = reviewOf(config.tokenReviewClient);
    const accessReview = reviewOf(config.accessReviewClient);
    const serving = await createDaemonServer({
      flags,
      name: NAME,
      health,
      metrics,
      profiling: settings.enableProfiling ? { contention: settings.enableContentionProfiling } : undefined,
      paths: {},
      ...(tokenReview === undefined ? {} : { tokenReview }),
      ...(accessReview === undefined ? {} : { accessReview }),
      logger,
      signal: stop.signal,
    });
    try {
      logger.info("Starting", { version: version.gitVersion });
      // Standbys follow too, so that a new leader starts from a warm cache.
      for (const informer of [pods, nodes, ...cluster.informers]) void informer.run(stop.signal);
      if (elector === undefined) await scheduler.run(signal);
      else if ((await elector.run(signal)) === "lost") throw new Error("leader election lost");
    } finally {
      await serving?.close();
    }
  } finally {
    stop.abort();
    client.close();
  }
}
