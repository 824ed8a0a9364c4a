import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { ReviewClient } from "@orchernetes/auth";
import {
  type Client,
  type ClientConfig,
  type ContentTypes,
  createClient,
  createEventRecorder,
} from "@orchernetes/client";
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
import { createLeaderElector, type HeldLease, type LeaderCallbacks, type LeaderElector } from "../leader-elector.ts";
import { lockClientOf } from "../lock-client.ts";
import { createLock } from "../locks/create-lock.ts";
import type { ElectionSettings } from "./election-settings.ts";
import { lookUpAuthentication } from "./look-up-authentication.ts";
import { runElections } from "./run-elections.ts";

/**
 * Milliseconds after the end of its lease for which a leader may fail to renew before `/healthz` fails. The
 * supervisor then restarts a process that hangs.
 */
const ELECTION_TOLERANCE_MS = 20_000;

/** The parts of a daemon from which {@link ElectedDaemonOptions} creates the work. */
export interface DaemonParts {
  readonly client: Client;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly userAgent: string;
  /** Aborts when the daemon stops, regardless of leadership. */
  readonly stop: AbortSignal;
  /** The lease under which the daemon works; undefined before it leads, and without an election. */
  readonly heldLease: () => HeldLease | undefined;
  /**
   * Must be called before writes that others carry out for the daemon; `client` calls it itself.
   *
   * @throws Error if the lease was not renewed in time
   */
  readonly checkWrite: () => void;
}

/** The work of a daemon. */
export interface DaemonWork {
  /** Called once the daemon serves, on standbys too, so that a new leader starts from a warm cache. */
  readonly follow?: (stop: AbortSignal) => void;
  /**
   * Runs while this replica leads, or all the time without an election.
   *
   * @param prepared to be called once the work is so far that the lock of the migration may be attempted
   */
  readonly lead: (signal: AbortSignal, prepared: () => void) => Promise<void>;
  /** Runs while this replica holds the lock of the migration. @default nothing is done under it */
  readonly leadMigrated?: (signal: AbortSignal) => Promise<void>;
  /** Handles requests to the secure port, whoever leads. @default health, metrics and profiles are served */
  readonly serve?: DaemonServerOptions["serve"];
  /** Further paths of the secure port, which authorization allows as it does those of profiles. @default none */
  readonly paths?: DaemonServerOptions["paths"];
}

/** A daemon of which only one replica works at a time. */
export interface ElectedDaemonOptions {
  /** Its name in locks, events, metrics and the user agent. */
  readonly name: string;
  readonly flags: DaemonServerOptions["flags"] & FlagValues<typeof metricFlags>;
  /** The address of the API server and the credentials. */
  readonly client: ClientConfig;
  /** Average requests per second, and the largest burst. Undefined: unlimited. */
  readonly rateLimit: { readonly qps: number; readonly burst: number } | undefined;
  /** Media types of the requests of the work, its locks and events; reviews are JSON. @default JSON */
  readonly contentTypes?: ContentTypes | undefined;
  readonly tokenReviewClient: ClientConfig | undefined;
  readonly accessReviewClient: ClientConfig | undefined;
  readonly profiling: DaemonServerOptions["profiling"];
  /** Undefined without an election (`--leader-elect=false`). */
  readonly election: ElectionSettings | undefined;
  /** A second lock, for work that moves to another daemon or comes from one. @default none */
  readonly migration?: ElectionSettings | undefined;
  /** Logged as warnings at the start. */
  readonly warnings: readonly string[];
  readonly context: DaemonContext;
  readonly work: (parts: DaemonParts) => DaemonWork;
}

/**
 * Serves health and metrics, and does the work of a daemon while it leads. Resolves when the signal of the context
 * aborts.
 *
 * @throws Error when leadership is lost or the work fails: the process then exits, and its supervisor restarts it.
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
    contentTypes: options.contentTypes,
    userAgent,
    logger,
    metrics: restClientMetrics(metrics),
  });
  try {
    const health = createHealth({ logger, metrics, healthz: [pingCheck], livez: [pingCheck], readyz: [pingCheck] });
    // A process that stood still longer than its lease goes on where it was: what it writes next is no longer its to write.
    const leases: LeaderElector[] = [];
    const fence = (): void => {
      for (const lease of leases) lease.checkWrite();
    };
    const work = options.work({
      client: client.with({ fence }),
      metrics,
      health,
      userAgent,
      stop: stop.signal,
      heldLease: () => leases[0]?.held(),
      checkWrite: fence,
    });
    const electors = electorsOf(options, client, userAgent, work);
    if (electors !== undefined) leases.push(electors.main, ...(electors.migration ? [electors.migration.elector] : []));
    metrics.gauge({
      name: "leader_election_master_status",
      help: "1 if this process is the leader, 0 otherwise.",
      labelNames: ["name"],
      collect: (gauge) => {
        gauge.set(electors === undefined || electors.main.isLeader() ? 1 : 0, [name]);
        const { elector, lock = "" } = electors?.migration ?? {};
        if (elector !== undefined) gauge.set(elector.isLeader() ? 1 : 0, [lock]);
      },
    });
    if (electors !== undefined) {
      const check = () => {
        electors.main.check(ELECTION_TOLERANCE_MS);
        electors.migration?.elector.check(ELECTION_TOLERANCE_MS);
      };
      health.add({ name: "leaderElection", check }, ["healthz"]);
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
      serve: work.serve,
      ...(work.paths === undefined ? {} : { paths: work.paths }),
      ...(tokenReview === undefined ? {} : { tokenReview }),
      ...(accessReview === undefined ? {} : { accessReview }),
      logger,
      signal: stop.signal,
    });
    try {
      logger.info("Starting", { version: version.gitVersion });
      work.follow?.(stop.signal);
      if (electors === undefined) await work.lead(signal, () => undefined);
      else await runElections(electors, signal);
    } finally {
      await serving?.close();
    }
  } finally {
    stop.abort();
    client.close();
  }
}

/** The electors of a daemon. */
interface Electors {
  readonly main: LeaderElector;
  readonly migration?: { readonly elector: LeaderElector; readonly lock: string; readonly ready: Promise<void> };
}

function electorsOf(
  { name, election, migration, context }: ElectedDaemonOptions,
  client: Client,
  userAgent: string,
  { lead, leadMigrated }: DaemonWork,
): Electors | undefined {
  if (election === undefined) return undefined;
  const { logger, signal } = context;
  // A separate client without a limit, because requests of the work must not delay renewals.
  const lockClient = client.with({ userAgent: `${userAgent}/leader-election`, qps: 0 });
  const identity = `${hostname()}_${randomUUID()}`;
  const events = createEventRecorder(lockClient, { component: name, logger, signal });
  const electorOf = (settings: ElectionSettings, onStartedLeading: LeaderCallbacks["onStartedLeading"]) =>
    createLeaderElector({
      lock: createLock(settings.lock, lockClientOf(lockClient), settings.namespace, settings.name),
      identity,
      leaseDurationMs: settings.leaseDurationMs,
      renewDeadlineMs: settings.renewDeadlineMs,
      retryPeriodMs: settings.retryPeriodMs,
      callbacks: { onStartedLeading },
      events,
      logger,
    });
  const prepared = Promise.withResolvers<void>();
  const main = electorOf(election, (until) => lead(until, prepared.resolve));
  if (migration === undefined || leadMigrated === undefined) return { main };
  return {
    main,
    migration: { elector: electorOf(migration, leadMigrated), lock: migration.name, ready: prepared.promise },
  };
}

/** A client for TokenReviews and SubjectAccessReviews, if a client configuration is given. */
function reviewOf(config: ClientConfig | undefined, userAgent: string): ReviewClient | undefined {
  if (config === undefined) return undefined;
  const client = createClient({ ...config, userAgent });
  return (path, body, signal) => client.request({ method: "POST", path, body, signal });
}
