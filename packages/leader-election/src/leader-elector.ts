import { formatMicroTime, formatTime } from "@orchernetes/apimachinery";
import type { EventRecorder } from "@orchernetes/client";
import { type Clock, type Logger, systemClock } from "@orchernetes/kernel";
import type { ElectionRecord } from "./locks/election-record.ts";
import type { ResourceLock } from "./locks/resource-lock.ts";

/** Callbacks for the changes of an election. */
export interface LeaderCallbacks {
  /**
   * Called when this participant starts leading. The signal aborts when it no longer leads; the work must then end. When the
   * promise settles, leadership is released; a rejection also rejects {@link LeaderElector.run} with its reason.
   */
  onStartedLeading(signal: AbortSignal): Promise<void>;
  /** Called when this participant has stopped leading and its work has ended. */
  onStoppedLeading?(): void;
  /** Called when a new leader is seen, which may be this participant. */
  onNewLeader?(identity: string): void;
}

/** The options of a participant; the times must satisfy {@link electionErrors}. */
export interface LeaderElectorOptions {
  /** The lock for which to compete; all participants must use the same one. */
  readonly lock: ResourceLock;
  /** Name of this participant; must differ from all others'. */
  readonly identity: string;
  /** Milliseconds that other participants wait after the last renewal they saw. @default 15000 */
  readonly leaseDurationMs?: number;
  /** Milliseconds for which the leader tries to renew before it gives up. @default 10000 */
  readonly renewDeadlineMs?: number;
  /** Milliseconds between attempts. @default 2000 */
  readonly retryPeriodMs?: number;
  /** Releases the lock when the signal aborts, so that the next leader does not wait for the lease to expire. @default true */
  readonly releaseOnCancel?: boolean;
  readonly callbacks: LeaderCallbacks;
  /** Recorder for the events "became leader" and "stopped leading". @default no events */
  readonly events?: Pick<EventRecorder, "event">;
  readonly logger: Logger;
  /** @default systemClock */
  readonly clock?: Clock;
  /** Random numbers in [0, 1) for the jitter of attempts. @default Math.random */
  readonly random?: () => number;
}

/** What a leader states about its lease in its writes, so that the API server can check it when it writes. */
export interface HeldLease {
  readonly namespace: string;
  readonly name: string;
  readonly holder: string;
  /** How often the holder had changed when this one took the lease. */
  readonly transitions: number;
}

/** One participant of an election. */
export interface LeaderElector {
  /**
   * Waits for leadership and keeps it. Resolves with `cancelled` when the signal aborts, and with `lost` when the lease could not
   * be renewed in time: a daemon must then exit, because another participant may lead already.
   */
  run(signal: AbortSignal): Promise<"cancelled" | "lost">;
  /**
   * Whether this participant is the holder in the record that it saw or wrote last. It may have lost the lease since
   * then; work must therefore obey its signal and not this method.
   */
  isLeader(): boolean;
  /**
   * Fails a write of a leader that has not renewed in time. Others may lead by then, although a process that stood still has not
   * noticed it yet. Participants that do not lead, and never did, may write.
   * @throws Error from the renew deadline on, and for ever once leadership is lost
   */
  checkWrite(): void;
  /** The identity of the last known leader; empty when there is none. */
  leader(): string;
  /**
   * The lease as this participant held it last, also after it lost it: a write that was decided while it led must still state
   * that. Undefined before it leads.
   */
  held(): HeldLease | undefined;
  /**
   * The health check `leaderElection`.
   * @throws Error while this participant leads but has not renewed for the lease duration and this tolerance.
   */
  check(toleranceMs: number): void;
}

/**
 * A waiting participant adds a random part of up to this many retry periods to each wait, so that participants do not act in step.
 * The renew deadline must be longer than this many retry periods.
 */
export const jitter = 1.2;

/** The errors of the three times of an election, one line each; empty when they fit together. */
export function electionErrors(times: {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}): readonly string[] {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = times;
  return [
    ...(leaseDurationMs > renewDeadlineMs ? [] : ["the lease duration must be more than the renew deadline"]),
    ...(renewDeadlineMs > retryPeriodMs * jitter
      ? []
      : [`the renew deadline must be more than ${jitter} times the retry period`]),
    ...(retryPeriodMs > 0 ? [] : ["the retry period must be more than 0"]),
    ...(leaseDurationMs >= 1000 ? [] : ["the lease duration must be at least 1s"]),
  ];
}

/**
 * Creates a participant. At most one participant leads at a time as long as their clocks run at nearly the same rate. The
 * times that they show do not matter: a participant measures the lease from when it saw the record change, by its own monotonic
 * clock.
 * @throws Error when the identity is empty or the times do not fit together.
 */
export function createLeaderElector(options: LeaderElectorOptions): LeaderElector {
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2000, releaseOnCancel = true } = options;
  const { clock = systemClock, random = Math.random } = options;
  const errors = electionErrors({ leaseDurationMs, renewDeadlineMs, retryPeriodMs });
  if (options.identity === "") throw new Error("an election needs an identity that is not empty");
  if (errors.length > 0) throw new Error(errors.join("; "));
  const times = { leaseDurationMs, renewDeadlineMs, retryPeriodMs };
  return new Participant({ ...options, ...times, releaseOnCancel, clock, random });
}

/** The options with their defaults. */
type Settings = LeaderElectorOptions &
  Required<
    Pick<
      LeaderElectorOptions,
      "leaseDurationMs" | "renewDeadlineMs" | "retryPeriodMs" | "releaseOnCancel" | "clock" | "random"
    >
  >;

class Participant implements LeaderElector {
  readonly #settings: Settings;
  /** The record as last seen or written. */
  #observed: ElectionRecord | undefined;
  #observedRaw = "";
  #observedAtMs = 0;
  /** Until when this participant may write as the leader; undefined unless it leads or has lost leadership. */
  #writesUntilMs: number | undefined;
  #held: HeldLease | undefined;
  /** The leader that callbacks know of. */
  #reported = "";

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  isLeader(): boolean {
    return this.#observed?.holderIdentity === this.#settings.identity;
  }

  checkWrite(): void {
    if (this.#writesUntilMs === undefined) return;
    const { clock, lock } = this.#settings;
    if (clock.monotonicMs() >= this.#writesUntilMs)
      throw new Error(`the lease ${lock.description} was not renewed in time: nothing is written any more`);
  }

  leader(): string {
    return this.#observed?.holderIdentity ?? "";
  }

  held(): HeldLease | undefined {
    return this.#held;
  }

  /** Remembers a record and when it was seen. Only a change of the record restarts the lease for other participants. */
  #observe(record: ElectionRecord, raw: string): void {
    this.#observed = record;
    this.#observedRaw = raw;
    this.#observedAtMs = this.#settings.clock.monotonicMs();
  }

  /** Records an event on the object of the lock, so that `describe` shows changes of leadership. */
  #recordEvent(what: string): void {
    const { events, lock, identity } = this.#settings;
    events?.event(lock.reference(), "Normal", "LeaderElection", `${identity} ${what}`);
  }

  /**
   * Calls the callback if the leader has changed since the last call. A released lock has no leader, which is not
   * reported.
   */
  #reportLeader(): void {
    const { logger, lock, callbacks } = this.#settings;
    const leader = this.#observed?.holderIdentity ?? "";
    if (leader === this.#reported) return;
    this.#reported = leader;
    if (leader === "") return;
    logger.info("New leader elected", { lock: lock.description, leader });
    callbacks.onNewLeader?.(leader);
  }

  /**
   * Tries once to take or renew the lock. Returns whether this participant leads afterwards.
   *
   * Read and write are two requests. If another participant writes in between, the update has an old resourceVersion
   * and fails with a conflict, so that only one can win. Times in Leases have microseconds, those in annotations
   * seconds, as upstream writes them.
   */
  async #attempt(signal: AbortSignal): Promise<boolean> {
    const { lock, identity, leaseDurationMs, logger, clock } = this.#settings;
    const now = clock.now();
    const stamp = lock.reference().kind === "Lease" ? formatMicroTime(now) : formatTime(now);
    const mine: ElectionRecord = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.max(1, Math.round(leaseDurationMs / 1000)),
      acquireTime: stamp,
      renewTime: stamp,
      leaderTransitions: 0,
    };
    const found = await lock.get(signal);
    if (found === undefined) {
      await lock.create(mine, signal);
      this.#hold(mine);
      return true;
    }
    if (found.raw !== this.#observedRaw || this.#observed === undefined) this.#observe(found.record, found.raw);
    const { record } = found;
    // A lease expires when the record has not changed for the lease duration by our clock. Its renewTime is not used,
    // because the clock of the holder may be wrong.
    const held = record.holderIdentity !== "" && record.holderIdentity !== identity;
    if (held && clock.monotonicMs() < this.#observedAtMs + leaseDurationMs) {
      logger.v(4)?.info("Lock is held and has not expired", { lock: lock.description, holder: record.holderIdentity });
      return false;
    }
    const renews = record.holderIdentity === identity;
    const next = renews
      ? // Only a change of the holder counts as a transition.
        { ...mine, acquireTime: record.acquireTime, leaderTransitions: record.leaderTransitions }
      : { ...mine, leaderTransitions: record.leaderTransitions + 1 };
    await lock.update(next, signal);
    this.#hold(next);
    return true;
  }

  /** Remembers the record that this participant has written as the holder. */
  #hold(record: ElectionRecord): void {
    const { namespace = "", name = "" } = this.#settings.lock.reference();
    this.#held = { namespace, name, holder: record.holderIdentity, transitions: record.leaderTransitions };
    this.#observe(record, "");
  }

  /**
   * An attempt that fails instead of throwing, and after a time limit: a request that hangs must not keep a leader
   * from noticing that its deadline has passed.
   */
  async #tryOnce(signal: AbortSignal, limitMs: number): Promise<boolean> {
    const { clock, logger, lock } = this.#settings;
    const limit = new AbortController();
    const timer = clock.setTimeout(() => limit.abort(new Error("no response in time")), limitMs);
    try {
      const leads = await this.#attempt(AbortSignal.any([signal, limit.signal]));
      this.#reportLeader();
      return leads;
    } catch (error) {
      if (!signal.aborted) logger.error(error, "Failed to take or renew the lock", { lock: lock.description });
      return false;
    } finally {
      timer.clear();
    }
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#settings.clock.sleep(ms, signal);
    } catch {
      // The signal aborted: the loop of the caller checks it.
    }
  }

  /** Tries until this participant leads or the signal aborts; returns which. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { clock, logger, lock, renewDeadlineMs, retryPeriodMs, random } = this.#settings;
    logger.info("Attempting to acquire leader lease", { lock: lock.description });
    while (!signal.aborted) {
      const startedAtMs = clock.monotonicMs();
      if (await this.#tryOnce(signal, renewDeadlineMs)) {
        this.#writesUntilMs = startedAtMs + renewDeadlineMs;
        return true;
      }
      await this.#pause(retryPeriodMs * (1 + random() * jitter), signal);
    }
    return false;
  }

  /** Renews until the signal aborts or the deadline passes without success. */
  async #keep(signal: AbortSignal): Promise<"cancelled" | "lost"> {
    const { clock, retryPeriodMs, renewDeadlineMs } = this.#settings;
    while (!signal.aborted) {
      await this.#pause(retryPeriodMs, signal);
      if (signal.aborted) break;
      const startedAtMs = clock.monotonicMs();
      // Counted from the start of the last successful renewal: others may count from any time between its start and
      // its end, and the leader must be the first to give up.
      const untilMs = this.#writesUntilMs ?? startedAtMs;
      if (untilMs <= startedAtMs) return "lost";
      if (await this.#tryOnce(signal, untilMs - startedAtMs)) this.#writesUntilMs = startedAtMs + renewDeadlineMs;
      else if (!this.isLeader() || clock.monotonicMs() >= untilMs) return "lost";
    }
    return "cancelled";
  }

  /**
   * Gives up the lock by a record without a holder, which others may take at once. On failure they wait for the lease
   * to expire.
   */
  async #release(): Promise<void> {
    const { lock, identity, clock, logger, renewDeadlineMs } = this.#settings;
    const limit = new AbortController();
    const timer = clock.setTimeout(() => limit.abort(new Error("no response in time")), renewDeadlineMs);
    try {
      const found = await lock.get(limit.signal);
      // Another participant may already lead, if the lease expired in the meantime.
      if (found === undefined || found.record.holderIdentity !== identity) return;
      const stamp = lock.reference().kind === "Lease" ? formatMicroTime(clock.now()) : formatTime(clock.now());
      const record = {
        ...found.record,
        holderIdentity: "",
        leaseDurationSeconds: 1,
        acquireTime: stamp,
        renewTime: stamp,
      };
      await lock.update(record, limit.signal);
      this.#observe(record, "");
    } catch (error) {
      logger.error(error, "Failed to release the lock", { lock: lock.description });
    } finally {
      timer.clear();
    }
  }

  check(toleranceMs: number): void {
    const { clock, lock, leaseDurationMs } = this.#settings;
    if (!this.isLeader()) return;
    const age = clock.monotonicMs() - this.#observedAtMs;
    if (age > leaseDurationMs + toleranceMs)
      throw new Error(`failed election to renew leadership on lease ${lock.description}`);
  }

  async run(signal: AbortSignal): Promise<"cancelled" | "lost"> {
    const { lock, callbacks, logger, releaseOnCancel } = this.#settings;
    if (!(await this.#acquire(signal))) return "cancelled";
    this.#recordEvent("became leader");
    logger.info("Successfully acquired lease", { lock: lock.description });
    const leading = new AbortController();
    const stop = new AbortController();
    const work = callbacks.onStartedLeading(leading.signal).finally(() => stop.abort());
    // The rejection is handled below, after leadership has ended; this only prevents an unhandled rejection until
    // then.
    work.catch(() => undefined);
    const outcome = await this.#keep(AbortSignal.any([signal, stop.signal]));
    leading.abort(new Error(outcome === "lost" ? "leadership was lost" : "the election was ended"));
    if (outcome === "lost") {
      this.#writesUntilMs = Number.NEGATIVE_INFINITY;
      // Others may lead from now on, so run returns at once and the process exits. Waiting for the work to notice its
      // signal would let two leaders work at the same time.
      this.#recordEvent("stopped leading");
      logger.error(undefined, "Leader election lost", { lock: lock.description });
      callbacks.onStoppedLeading?.();
      return "lost";
    }
    const result = await work.then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    // Released only after the work has ended; otherwise two leaders would work at the same time.
    this.#writesUntilMs = undefined;
    if (releaseOnCancel) await this.#release();
    this.#recordEvent("stopped leading");
    callbacks.onStoppedLeading?.();
    if (result !== undefined && !signal.aborted) throw result.error;
    return "cancelled";
  }
}
