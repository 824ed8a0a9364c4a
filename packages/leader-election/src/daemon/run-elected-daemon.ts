import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { ReviewClient } from "@orchernetes/auth";
import { type Client, type ClientConfig, createClient, createEventRecorder } from "@orchernetes/client";
import {
  createDaemonMetrics,
  createHealth,
  type DaemonContext,
  type FlagValues,
  type Health,
  type Metrics,
  type metricFlags,
  pingCheck,
  restClientMetrics,
  version,
} from "@orchernetes/component";
import { createDaemonServer, type DaemonServerOptions } from "@orchernetes/daemon-server";
import { createLeaderElector, type LeaderElector } from "../leader-elector.ts";
import { lockClientOf } from "../lock-client.ts";
import { createLock } from "../locks/create-lock.ts";
import type { ElectionSettings } from "./election-settings.ts";
import { lookUpAuthentication } from "./look-up-authentication.ts";

/** Milliseconds beyond its lease for which a leader may fail to renew before `/healthz` fails. */
const ELECTION_TOLERANCE_MS = 20_000;

/** What {@link ElectedDaemonOptions} build the work of a daemon from. */
export interface DaemonParts {
  readonly client: Client;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly userAgent: string;
  /** Aborts when the daemon stops, regardless of leadership. */
  readonly stop: AbortSignal;
}

/** The work of a daemon. */
export interface DaemonWork {
  /** Called once the daemon serves, on standbys too, so that a new leader starts from a warm cache. */
  readonly follow?: (stop: AbortSignal) => void;
  /** Runs while this replica leads, or all the time without an election. */
  readonly lead: (signal: AbortSignal) => Promise<void>;
}

/** A daemon of which only one replica works at a time. */
export interface ElectedDaemonOptions {
  /** Its name in locks, events, metrics and the user agent. */
  readonly name: string;
  readonly flags: DaemonServerOptions["flags"] & FlagValues<typeof metricFlags>;
  /** The address of the API server and the credentials. */
  readonly client: ClientConfig;
  /** Requests per second on average, and at once. Undefined is unlimited. */
  readonly rateLimit: { readonly qps: number; readonly burst: number } | undefined;
  readonly tokenReviewClient: ClientConfig | undefined;
  readonly accessReviewClient: ClientConfig | undefined;
  readonly profiling: DaemonServerOptions["profiling"];
  /** Undefined: `--leader-elect=false`. */
  readonly election: ElectionSettings | undefined;
  /** Logged as warnings at the start. */
  readonly warnings: readonly string[];
  readonly context: DaemonContext;
  readonly work: (parts: DaemonParts) => DaemonWork;
}

/**
 * Serves health and metrics, and works while it leads. Resolves when the context's signal aborts.
 *
 * @throws Error when leadership is lost or the work fails: the process then exits, and its supervisor starts it again.
 */
export async function runElectedDaemon(options: ElectedDaemonOptions): Promise<void> {
  const { name, flags, context } = options;
  const { logger, signal } = context;
  const userAgent = `${name}/${version.gitVersion} (${version.platform}) orchernetes`;
  for (const warning of options.warnings) logger.warn(warning);
  const stop = new AbortController();
  const metrics = createDaemonMetrics(flags, stop.signal);
  const client = createClient({
    ...options.client,
    ...options.rateLimit,
    userAgent,
    logger,
    metrics: restClientMetrics(metrics),
  });
  try {
    const health = createHealth({ logger, metrics, healthz: [pingCheck], livez: [pingCheck], readyz: [pingCheck] });
    const { follow, lead } = options.work({ client, metrics, health, userAgent, stop: stop.signal });
    const elector = electorOf(options, client, userAgent, lead);
    metrics.gauge({
      name: "leader_election_master_status",
      help: "1 while this process leads, else 0.",
      labelNames: ["name"],
      collect: (gauge) => gauge.set(elector === undefined || elector.isLeader() ? 1 : 0, [name]),
    });
    if (elector !== undefined) {
      health.add({ name: "leaderElection", check: () => elector.check(ELECTION_TOLERANCE_MS) }, ["healthz"]);
    }
    const tokenReview = reviewOf(options.tokenReviewClient, userAgent);
    const accessReview = reviewOf(options.accessReviewClient, userAgent);
    const cluster = await lookUpAuthentication({
      client: flags["secure-port"] === 0 ? undefined : options.tokenReviewClient,
      flags,
      userAgent,
      logger,
      signal: AbortSignal.any([signal, stop.signal]),
    });
    const serving = await createDaemonServer({
      flags,
      name,
      cluster,
      health,
      metrics,
      profiling: options.profiling,
      ...(tokenReview === undefined ? {} : { tokenReview }),
      ...(accessReview === undefined ? {} : { accessReview }),
      logger,
      signal: stop.signal,
    });
    try {
      logger.info("Starting", { version: version.gitVersion });
      follow?.(stop.signal);
      if (elector === undefined) await lead(signal);
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
  { name, election, context }: ElectedDaemonOptions,
  client: Client,
  userAgent: string,
  lead: (signal: AbortSignal) => Promise<void>,
): LeaderElector | undefined {
  if (election === undefined) return undefined;
  const { logger, signal } = context;
  // The rate limit of the work must not delay renewals.
  const lockClient = client.with({ userAgent: `${userAgent}/leader-election`, qps: 0 });
  return createLeaderElector({
    lock: createLock(election.lock, lockClientOf(lockClient), election.namespace, election.name),
    identity: `${hostname()}_${randomUUID()}`,
    leaseDurationMs: election.leaseDurationMs,
    renewDeadlineMs: election.renewDeadlineMs,
    retryPeriodMs: election.retryPeriodMs,
    callbacks: { onStartedLeading: lead },
    events: createEventRecorder(lockClient, { component: name, logger, signal }),
    logger,
  });
}

/** A client for TokenReviews and SubjectAccessReviews, if a client configuration is given. */
function reviewOf(config: ClientConfig | undefined, userAgent: string): ReviewClient | undefined {
  if (config === undefined) return undefined;
  const client = createClient({ ...config, userAgent });
  return (path, body, signal) => client.request({ method: "POST", path, body, signal });
}
