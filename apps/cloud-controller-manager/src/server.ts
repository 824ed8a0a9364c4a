import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { type Client, type ClientConfig, createClient, createEventRecorder } from "@orchernetes/client";
import {
  createDaemonMetrics,
  createDaemonServer,
  createHealth,
  type DaemonContext,
  type Metrics,
  pingCheck,
  type ReviewClient,
  restClientMetrics,
  version,
} from "@orchernetes/component";
import { createLeaderElector, createLock, type LeaderElector, lockClientOf } from "@orchernetes/leader-election";
import type { Config, Flags } from "./config.ts";

/** The name of this daemon in locks, events and the user agent. */
const component = "cloud-controller-manager";
/** How much longer than its lease a leader may go without renewing before `/healthz` fails. */
const electionToleranceMs = 20_000;

/**
 * Serves health and metrics, waits for leadership and lets the provider work while it lasts.
 * @throws Error when leadership is lost or the provider fails: the process ends and is started anew by its supervisor.
 */
export async function runServer(flags: Flags, config: Config, context: DaemonContext): Promise<void> {
  const { logger, signal } = context;
  for (const warning of config.warnings) logger.warn(warning);
  const debugging = config.settings.Generic.Debugging;
  const { qps, burst } = config.settings.Generic.ClientConnection;
  const stop = new AbortController();
  const metrics = createDaemonMetrics(flags, stop.signal);
  const client = createClient({
    ...config.client,
    qps,
    burst,
    userAgent: userAgent(),
    logger,
    metrics: restClientMetrics(metrics),
  });
  try {
    const provider = config.provider({ client, config: config.cloudConfig, logger });
    const elector = electorOf(config, client, context, (lead) => provider.run(lead));
    addLeaderMetric(metrics, elector);
    const health = createHealth({ logger, metrics, healthz: [pingCheck], livez: [pingCheck], readyz: [pingCheck] });
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
      profiling: debugging.enableProfiling ? { contention: debugging.enableContentionProfiling } : undefined,
      paths: {},
      ...(tokenReview === undefined ? {} : { tokenReview }),
      ...(accessReview === undefined ? {} : { accessReview }),
      logger,
      signal: stop.signal,
    });
    try {
      logger.info("Starting", { provider: provider.name, version: version.gitVersion });
      if (elector === undefined) await provider.run(signal);
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
  const election = config.settings.Generic.LeaderElection;
  if (!election.leaderElect) return undefined;
  const { logger } = context;
  // An identity for leases alone: the rate limit of the work must not delay renewals.
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
    events: createEventRecorder(lockClient, { component, logger, signal: context.signal }),
    logger,
  });
}

function addLeaderMetric(metrics: Metrics, elector: LeaderElector | undefined): void {
  metrics.gauge({
    name: "leader_election_master_status",
    help: "1 while this process leads, else 0.",
    labelNames: ["name"],
    collect: (gauge) => gauge.set(elector === undefined || elector.isLeader() ? 1 : 0, [component]),
  });
}

/** Reviews through a client configuration, if there is one. */
function reviewOf(config: ClientConfig | undefined): ReviewClient | undefined {
  if (config === undefined) return undefined;
  const client = createClient({ ...config, userAgent: userAgent() });
  return (path, body, signal) => client.request({ method: "POST", path, body, signal });
}

const userAgent = () => `${component}/${version.gitVersion} (${version.platform}) orchernetes`;
