import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { type Client, type ClientConfig, createClient, createEventRecorder } from "@orchernetes/client";
import {
  createDaemonMetrics,
  createDaemonServer,
  createHealth,
  type DaemonContext,
  pingCheck,
  type ReviewClient,
  restClientMetrics,
  version,
  workQueueMetrics,
} from "@orchernetes/component";
import { createLeaderElector, createLock, type LeaderElector, lockClientOf } from "@orchernetes/leader-election";
import type { Config } from "./config.ts";
import { runControllers } from "./run-controllers.ts";

/** The name of this daemon in locks, events and the user agent. */
const component = "orch-controller-manager";
/** How much longer than its lease a leader may go without renewing before `/healthz` fails. */
const electionToleranceMs = 20_000;

const userAgent = (): string => `${component}/${version.gitVersion} (${version.platform}) orchernetes`;

/**
 * Serves health and metrics, and runs the controllers while it leads.
 * @throws Error when leadership is lost or a controller fails: the process ends and is started anew by its supervisor
 */
export async function runServer(config: Config, context: DaemonContext): Promise<void> {
  const { flags } = config;
  const { logger, signal } = context;
  for (const warning of config.warnings) logger.warn(warning);
  const stop = new AbortController();
  const metrics = createDaemonMetrics(flags, stop.signal);
  // The server's own limits protect it better than the flags' defaults, which suit clients of another age.
  const explicitQps = context.explicit.has("orch-api-qps");
  const client = createClient({
    ...config.client,
    userAgent: userAgent(),
    logger,
    metrics: restClientMetrics(metrics),
    ...(explicitQps ? { qps: flags["orch-api-qps"], burst: flags["orch-api-burst"] } : {}),
  });
  try {
    const health = createHealth({ logger, metrics, healthz: [pingCheck], livez: [pingCheck], readyz: [pingCheck] });
    const work = (lead: AbortSignal): Promise<void> =>
      runControllers(
        { config, client, userAgent: userAgent(), queueMetrics: workQueueMetrics(metrics), health, logger },
        lead,
      );
    const elector = electorOf(config, client, context, work);
    metrics.gauge({
      name: "leader_election_master_status",
      help: "1 while this process leads, else 0.",
      labelNames: ["name"],
      collect: (gauge) => gauge.set(elector === undefined || elector.isLeader() ? 1 : 0, [component]),
    });
    if (elector !== undefined) {
      health.add({ name: "leaderElection", check: () => elector.check(electionToleranceMs) }, ["healthz"]);
    }
    const tokenReview = reviewOf(config.tokenReviewClient);
    const accessReview = reviewOf(config.accessReviewClient);
    const serving = await createDaemonServer({
      flags,
      name: component,
      health,
      metrics,
      profiling: flags.profiling ? { contention: flags["contention-profiling"] } : undefined,
      paths: {},
      ...(tokenReview === undefined ? {} : { tokenReview }),
      ...(accessReview === undefined ? {} : { accessReview }),
      logger,
      signal: stop.signal,
    });
    try {
      logger.info("Starting", { version: version.gitVersion });
      if (elector === undefined) await work(signal);
      else if ((await elector.run(signal)) === "lost") throw new Error("leader election lost");
    } finally {
      await serving?.close();
    }
  } finally {
    stop.abort();
    client.close();
  }
}

function electorOf(
  config: Config,
  client: Client,
  context: DaemonContext,
  work: (signal: AbortSignal) => Promise<void>,
): LeaderElector | undefined {
  const { election } = config;
  if (election === undefined) return undefined;
  const { logger, signal } = context;
  // The rate limit of the work must not delay renewals.
  const lockClient = client.with({ userAgent: `${userAgent()}/leader-election`, qps: 0 });
  return createLeaderElector({
    lock: createLock(election.lock, lockClientOf(lockClient), election.namespace, election.name),
    identity: `${hostname()}_${randomUUID()}`,
    leaseDurationMs: election.leaseDurationMs,
    renewDeadlineMs: election.renewDeadlineMs,
    retryPeriodMs: election.retryPeriodMs,
    callbacks: { onStartedLeading: work },
    events: createEventRecorder(lockClient, { component, logger, signal }),
    logger,
  });
}

/** Reviews through a client configuration, if there is one. */
function reviewOf(config: ClientConfig | undefined): ReviewClient | undefined {
  if (config === undefined) return undefined;
  const client = createClient({ ...config, userAgent: userAgent() });
  return (path, body, signal) => client.request({ method: "POST", path, body, signal });
}
