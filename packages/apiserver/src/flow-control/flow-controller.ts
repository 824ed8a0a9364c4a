import { ApiError, failure } from "@orchernetes/apimachinery";
import type { UserInfo } from "@orchernetes/auth";
import type { Clock } from "@orchernetes/kernel";
import { isReadOnly, type RequestInfo } from "../interfaces/index.ts";
import type { FlowControlConfiguration, FlowSchemaConfiguration, PriorityLevelConfiguration } from "./configuration.ts";
import { byPrecedence, matchesFlowSchema } from "./match-flow-schema.ts";
import { PriorityLevel, type RejectReason, type SeatLimits } from "./priority-level.ts";

/** Metrics of one pair of priority level and flow schema. */
export interface FlowCounts {
  /** A request was dispatched, and takes `seats`. */
  dispatched(seats: number): void;
  rejected(reason: RejectReason): void;
  executing(delta: 1 | -1, seats: number, readOnly: boolean): void;
  /** A request started (+1) or stopped (-1) to wait. */
  queued(delta: 1 | -1, readOnly: boolean): void;
  /** A request has to wait because too few seats are free; its queue now has this many waiting requests. */
  enqueued(queueLength: number): void;
  /** The time that a request waited, and whether it is executed afterwards. */
  waited(seconds: number, execute: boolean): void;
  /** A request, or the start of a watch, has released its seats. */
  executed(seconds: number, watch: boolean): void;
}

/** Metrics of flow control. */
export interface FlowControlMetrics {
  counts(level: string, schema: string): FlowCounts;
}

/** The options of a {@link FlowController}. */
export interface FlowControllerOptions {
  /** Seats of all levels together: `--max-requests-inflight` and `--max-mutating-requests-inflight`. */
  readonly seats: number;
  /** Longest time in a queue, in milliseconds; then 429. */
  readonly waitMs: number;
  readonly clock: Clock;
  readonly metrics?: FlowControlMetrics | undefined;
  /** The configuration until {@link FlowController.configure} is called; at least the mandatory objects. */
  readonly configuration: FlowControlConfiguration;
}

/** The flow schema and priority level of a request. */
export interface Classified {
  readonly schema: FlowSchemaConfiguration;
  readonly level: PriorityLevel;
  readonly counts: FlowCounts | undefined;
}

/** Releases the seats of a request. Idempotent. */
export type Leave = () => void;

/** Limit of remembered classifications per user; beyond it they are computed again. */
const maxCachedPerUser = 1000;
const fallback = "catch-all";

/**
 * API priority and fairness (KEP-1040). Flow schemas sort requests into priority levels; each level has its share of
 * the server's seats (concurrency) and lends what it does not use; requests that get no seat wait in queues, and queues
 * are chosen by shuffle sharding.
 *
 * The purpose is isolation: a controller that lists in a loop fills the queues of its own flow, while leader election,
 * node heartbeats and people with kubectl, who are in other levels or other flows, are served as before.
 *
 * Requests that get a seat immediately cost a lookup and a few additions, without a promise.
 */
export class FlowController {
  readonly #options: FlowControllerOptions;
  #schemas: readonly FlowSchemaConfiguration[] = [];
  #levels = new Map<string, PriorityLevel>();
  #limited: readonly PriorityLevel[] = [];
  /** Configuration and limits of each level, to recognize changes. */
  #identities: ReadonlyMap<string, string> = new Map();
  /** Levels that were replaced while requests waited in them. They still dispatch when seats become free. */
  #retired: readonly PriorityLevel[] = [];
  #cache = new WeakMap<UserInfo, Map<string, Classified>>();
  #counts = new Map<string, FlowCounts | undefined>();
  /** Seats taken at limited levels. */
  #inUse = 0;
  #waiting = 0;

  constructor(options: FlowControllerOptions) {
    this.#options = options;
    this.configure(options.configuration);
  }

  get schemas(): readonly FlowSchemaConfiguration[] {
    return this.#schemas;
  }

  get levels(): readonly PriorityLevel[] {
    return [...this.#levels.values()];
  }

  /**
   * Applies a new configuration. Requests that wait or execute finish in the level where they are. Levels without a
   * change keep their queues.
   */
  configure({ flowSchemas, priorityLevels }: FlowControlConfiguration): void {
    this.#schemas = byPrecedence(flowSchemas);
    const limits = seatLimits(priorityLevels, this.#options.seats);
    const levels = new Map<string, PriorityLevel>();
    const identities = new Map<string, string>();
    for (const configuration of priorityLevels) {
      const { name } = configuration;
      const of = limits.get(name) ?? { nominal: 0, least: 0, most: 0 };
      const identity = JSON.stringify([configuration, of]);
      const same = this.#identities.get(name) === identity ? this.#levels.get(name) : undefined;
      identities.set(name, identity);
      levels.set(name, same ?? new PriorityLevel(configuration, of, this.#lend, this.#options.clock));
    }
    const current = new Set(levels.values());
    this.#retired = [...this.#retired, ...this.#levels.values()].filter(
      (level) => !current.has(level) && level.queued > 0,
    );
    this.#levels = levels;
    this.#identities = identities;
    this.#limited = [...current].filter((level) => !level.exempt);
    this.#cache = new WeakMap();
  }

  /** Beyond its guaranteed seats a level may take what remains free if every other level took its guaranteed ones. */
  readonly #lend = (level: PriorityLevel, seats: number): boolean => {
    let kept = 0;
    for (const other of this.#limited) if (other !== level) kept += Math.max(0, other.limits.least - other.inUse);
    return this.#inUse + seats + kept <= this.#options.seats;
  };

  /**
   * The level and flow schema of a request. Remembered per user object, which authenticators share between requests
   * with the same credentials.
   */
  classify(info: RequestInfo, user: UserInfo): Classified {
    let known = this.#cache.get(user);
    if (known === undefined) {
      known = new Map();
      this.#cache.set(user, known);
    }
    const key = info.isResourceRequest
      ? `${info.verb} ${info.apiGroup} ${info.resource} ${info.subresource} ${info.namespace}`
      : `${info.verb} ${info.path}`;
    let found = known.get(key);
    if (found === undefined) {
      found = this.#classify(info, user);
      if (known.size >= maxCachedPerUser) known.clear();
      known.set(key, found);
    }
    return found;
  }

  #classify(info: RequestInfo, user: UserInfo): Classified {
    const served = this.#schemas.filter(({ spec }) => this.#levels.has(spec.priorityLevelConfiguration.name));
    const schema =
      served.find((candidate) => matchesFlowSchema(candidate, info, user)) ??
      served.find(({ name }) => name === fallback);
    const level = this.#levels.get(schema?.spec.priorityLevelConfiguration.name ?? fallback);
    if (schema === undefined || level === undefined)
      throw new Error(`the flow control configuration lacks its mandatory object ${JSON.stringify(fallback)}`);
    const key = `${level.name} ${schema.name}`;
    if (!this.#counts.has(key)) this.#counts.set(key, this.#options.metrics?.counts(level.name, schema.name));
    return { schema, level, counts: this.#counts.get(key) };
  }

  /**
   * Takes seats, and waits for them if necessary.
   *
   * @param seats the width of the request: 1, or more for lists
   * @param signal aborted when the client disconnects; called only if the request has to wait
   * @throws ApiError TooManyRequests if the queue is full, or the wait was too long or was aborted
   */
  enter(
    classified: Classified,
    info: RequestInfo,
    user: UserInfo,
    seats: number,
    signal: () => AbortSignal,
  ): Leave | Promise<Leave> {
    const { level, counts } = classified;
    if (level.tryEnter(seats)) {
      if (!level.exempt) counts?.waited(0, true);
      return this.#entered(level, counts, seats, info);
    }
    return this.#wait(classified, info, flowOf(classified.schema, info, user), seats, signal());
  }

  #entered(level: PriorityLevel, counts: FlowCounts | undefined, seats: number, info: RequestInfo): Leave {
    if (!level.exempt) this.#inUse += seats;
    counts?.dispatched(seats);
    const readOnly = isReadOnly(info);
    counts?.executing(1, seats, readOnly);
    const from = counts === undefined ? 0 : performance.now();
    let left = false;
    return () => {
      if (left) return;
      left = true;
      level.leave(seats);
      counts?.executing(-1, seats, readOnly);
      counts?.executed((performance.now() - from) / 1000, info.verb === "watch");
      if (level.exempt) return;
      this.#inUse -= seats;
      if (this.#waiting === 0) return;
      for (const each of this.#limited) each.dispatch();
      for (const each of this.#retired) each.dispatch();
    };
  }

  #wait(
    { level, counts }: Classified,
    info: RequestInfo,
    flow: string,
    seats: number,
    signal: AbortSignal,
  ): Promise<Leave> {
    const readOnly = isReadOnly(info);
    const { clock, waitMs } = this.#options;
    const since = clock.nowMs();
    return new Promise<Leave>((resolve, reject) => {
      this.#waiting++;
      counts?.queued(1, readOnly);
      const done = (execute: boolean) => {
        signal.removeEventListener("abort", giveUp);
        this.#waiting--;
        counts?.queued(-1, readOnly);
        counts?.waited((clock.nowMs() - since) / 1000, execute);
      };
      const accept = () => {
        done(true);
        resolve(this.#entered(level, counts, seats, info));
      };
      const refuse = (reason: RejectReason) => {
        done(false);
        counts?.rejected(reason);
        reject(tooMany());
      };
      const holder: { cancel: () => void } = { cancel: () => {} };
      const giveUp = () => holder.cancel();
      signal.addEventListener("abort", giveUp, { once: true });
      holder.cancel = level.enqueue(flow, seats, waitMs, accept, refuse);
      counts?.enqueued(level.lengthOf(flow));
      if (signal.aborted) giveUp();
    });
  }
}

function tooMany(): ApiError {
  return new ApiError(
    failure("TooManyRequests", "Too many requests, please try again later.", { retryAfterSeconds: 1 }),
  );
}

/** The identity of a flow. Requests of one flow wait in the same queues. */
function flowOf({ name, spec }: FlowSchemaConfiguration, info: RequestInfo, user: UserInfo): string {
  switch (spec.distinguisherMethod?.type) {
    case "ByUser":
      return JSON.stringify([name, user.name]);
    case "ByNamespace":
      return JSON.stringify([name, info.namespace]);
    default:
      return JSON.stringify([name]);
  }
}

/**
 * Divides the seats among the levels by their shares. What a level lends and may borrow are percentages of its own
 * seats.
 */
export function seatLimits(
  levels: readonly PriorityLevelConfiguration[],
  seats: number,
): ReadonlyMap<string, SeatLimits> {
  const limited = levels.filter(({ spec }) => spec.type !== "Exempt");
  const sharesOf = ({ spec }: PriorityLevelConfiguration) => spec.limited?.nominalConcurrencyShares ?? 30;
  const all = limited.reduce((sum, level) => sum + sharesOf(level), 0);
  return new Map(
    limited.map((level) => {
      const { lendablePercent = 0, borrowingLimitPercent } = level.spec.limited ?? {};
      const nominal = Math.max(1, Math.ceil((seats * sharesOf(level)) / all));
      const least = nominal - Math.round((nominal * lendablePercent) / 100);
      const most =
        borrowingLimitPercent === undefined ? seats : nominal + Math.round((nominal * borrowingLimitPercent) / 100);
      return [level.name, { nominal, least, most: Math.max(nominal, most) }];
    }),
  );
}
