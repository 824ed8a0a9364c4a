import type { core } from "@orchernetes/api";
import { isConflict, isNotFound } from "@orchernetes/apimachinery";
import type { LeaseClaim } from "@orchernetes/component-helpers";
import { type Clock, type Logger, messageOf } from "@orchernetes/kernel";
import {
  BindError,
  type Permission,
  type PointCall,
  runBind,
  runPermit,
  runPostBind,
  runPreBind,
  runReserve,
  runUnreserve,
} from "./binding-points.ts";
import type { PodInfo } from "./cache/pod-info.ts";
import type { SchedulerCache } from "./cache/scheduler-cache.ts";
import { podLeft, rejectorOf } from "./framework/cluster-change.ts";
import type { PermitOutcome, WaitingPods } from "./framework/waiting-pods.ts";
import { InFlight } from "./in-flight.ts";
import type { SchedulerMetrics } from "./metrics/scheduler-metrics.ts";
import { decidedUnder } from "./plugins/default-binder.ts";
import { isLeaseLost, type UnscheduledStatus } from "./pod-writes.ts";
import type { QueuedPod, SchedulingQueue } from "./queue/scheduling-queue.ts";

/** A decision that is being carried out. */
export interface BindingAttempt extends PointCall {
  /** Its `info` may be newer than that of the decision. */
  readonly queued: QueuedPod;
  /** Start of the decision, by the monotonic clock, in milliseconds. */
  readonly started: number;
}

/** The options of a {@link BindingCycle}. */
export interface BindingCycleOptions {
  readonly cache: SchedulerCache;
  readonly queue: SchedulingQueue;
  readonly waiting: WaitingPods;
  /** Limits the bindings in flight. */
  readonly writes: InFlight;
  readonly metrics: SchedulerMetrics;
  readonly logger: Logger;
  readonly clock: Clock;
  /** The lease under which decisions are made. @default they depend on no lease */
  readonly heldLease?: () => LeaseClaim | undefined;
  /** Called when the server says that another scheduler has the lease. */
  readonly deposed?: (error: Error) => void;
  /** Reports why an attempt failed. An earlier nomination of the pod ends with it, as in the original. */
  readonly reportFailure: (info: PodInfo, status: UnscheduledStatus) => void;
  /** Records the event of a binding. */
  readonly reportBound: (info: PodInfo, node: string) => void;
}

const nameOf = ({ metadata }: core.Node): string => metadata.name ?? "";

/**
 * Carries out decisions: Reserve and Permit in the same turn of the event loop as the decision; then, in the background, the wait
 * for Permit, PreBind, Bind and PostBind. After a failure the reservations are undone in reverse order, and the pod is scheduled
 * again.
 */
export class BindingCycle {
  readonly #options: BindingCycleOptions;
  /** Pods that wait for Permit or PreBind, for up to minutes: they must not keep others from being bound. */
  readonly #preparations = new InFlight(Number.POSITIVE_INFINITY);
  #signal = new AbortController().signal;

  constructor(options: BindingCycleOptions) {
    this.#options = options;
  }

  /** Work that starts from now on ends when the signal is aborted. */
  until(signal: AbortSignal): void {
    this.#signal = signal;
    const { waiting } = this.#options;
    signal.addEventListener("abort", () => {
      for (const pod of waiting.list()) pod.reject("", "the scheduler stops");
    });
  }

  /** Resolves when no pod waits for Permit or PreBind, or after `timeoutMs`. */
  idle(timeoutMs: number): Promise<void> {
    return this.#preparations.idle(this.#options.clock, timeoutMs);
  }

  /**
   * Assumes the pod on its node, and starts the binding.
   *
   * @throws Error if a plugin cannot reserve what the pod needs; then nothing is assumed
   */
  start(attempt: BindingAttempt): void {
    const { info, node, state } = attempt;
    const lease = this.#options.heldLease?.();
    if (lease !== undefined) state.set(decidedUnder, lease);
    this.#options.cache.assume(info, nameOf(node));
    let permission: Permission;
    try {
      runReserve(attempt);
      permission = runPermit(attempt);
    } catch (error) {
      this.#undo(attempt);
      throw error;
    }
    if (permission.type === "rejected") {
      // No decision took the pod into account: unlike after a wait, nothing has changed for others.
      this.#undo(attempt);
      this.#rejected(attempt, permission.plugin, permission.message);
      return;
    }
    this.#activate(attempt);
    const { metrics, writes, waiting } = this.#options;
    metrics.binding(1);
    const end = () => metrics.binding(-1);
    const permitted = permission.type === "held" ? waiting.hold(info, nameOf(node), permission.timeouts) : undefined;
    const prepared = permitted === undefined ? runPreBind(attempt, this.#signal) : undefined;
    if (permitted === undefined && prepared === undefined) writes.start(() => this.#bind(attempt).finally(end));
    else this.#preparations.start(() => this.#prepareAndBind(attempt, permitted, prepared).finally(end));
  }

  async #prepareAndBind(
    attempt: BindingAttempt,
    permitted: Promise<PermitOutcome> | undefined,
    prepared: Promise<void> | undefined,
  ): Promise<void> {
    const heldMs = attempt.meter.now();
    const outcome = await permitted;
    if (outcome !== undefined) {
      const result = outcome.type === "permitted" ? "Success" : "Unschedulable";
      this.#options.metrics.permitWaited(result, (attempt.meter.now() - heldMs) / 1000);
    }
    if (outcome?.type === "rejected") {
      const freed = this.#undo(attempt);
      if (this.#signal.aborted) return;
      this.#rejected(attempt, outcome.plugin, outcome.message);
      // The resources are free for other pods; for this pod, nothing has changed.
      if (freed) this.#options.queue.moveAll(podLeft(attempt.info.pod), attempt.queued);
      return;
    }
    try {
      await (prepared ?? runPreBind(attempt, this.#signal));
    } catch (error) {
      this.#giveUp(attempt);
      if (this.#signal.aborted) return;
      const { info, node } = attempt;
      const message = messageOf(error);
      const { logger, queue, reportFailure } = this.#options;
      logger.v(2)?.info("PreBind failed", { pod: info.key, node: nameOf(node), error: message });
      if (queue.has(info.key)) reportFailure(info, { reason: "SchedulerError", message, nominatedNodeName: "" });
      return;
    }
    await this.#bind(attempt);
  }

  async #bind(attempt: BindingAttempt): Promise<void> {
    const { queued, info, node, profile, started } = attempt;
    const { queue, metrics, logger, clock, reportFailure, reportBound } = this.#options;
    const elapsed = (since: number) => (clock.monotonicMs() - since) / 1000;
    try {
      await runBind(attempt, this.#signal);
      queue.done(queued);
      metrics.attempt("scheduled", profile.schedulerName, elapsed(started));
      metrics.scheduled(queued.attempts, elapsed(queued.readyMs));
      reportBound(info, nameOf(node));
    } catch (failure) {
      const error = failure instanceof BindError ? (failure.cause ?? failure) : failure;
      // The pod was deleted and no longer needs a node.
      if (isNotFound(error)) queue.done(queued);
      this.#giveUp(attempt);
      if (isNotFound(error)) return;
      if (isLeaseLost(error)) {
        this.#options.deposed?.(new Error(`another scheduler leads: ${messageOf(error)}`));
        return;
      }
      const log = { pod: info.key, node: nameOf(node) };
      // After a conflict the watch reports the pod's new state; it is not an error for users.
      if (isConflict(error)) {
        logger.v(2)?.info("The pod changed before it was bound", { ...log, error: messageOf(error) });
        return;
      }
      logger.error(error, "Binding failed", log);
      reportFailure(info, { reason: "SchedulerError", message: messageOf(failure), nominatedNodeName: "" });
      return;
    }
    runPostBind(attempt, (plugin, error) => {
      logger.error(error, "A PostBind plugin failed", { plugin: plugin.name, pod: info.key });
    });
    this.#activate(attempt);
  }

  /** Activates the pods that plugins have named since the last time. */
  #activate({ state }: BindingAttempt): void {
    const keys = state.takePodsToActivate();
    if (keys !== undefined) this.#options.queue.activate(keys);
  }

  /** A Permit plugin rejected the pod: the pod waits for one of the plugin's events. */
  #rejected(attempt: BindingAttempt, name: string, message: string): void {
    const { info, queued, profile, started } = attempt;
    const { queue, metrics, clock, reportFailure } = this.#options;
    metrics.attempt("unschedulable", profile.schedulerName, (clock.monotonicMs() - started) / 1000);
    const plugin = profile.permits.find((one) => one.name === name);
    queue.fail(queued, plugin === undefined ? [] : [rejectorOf(plugin)]);
    if (queue.has(info.key)) reportFailure(info, { reason: "Unschedulable", message, nominatedNodeName: "" });
  }

  /** Reverts the assumption about a pod that could not be bound, and retries it later. */
  #giveUp(attempt: BindingAttempt): void {
    const { queued, profile, started } = attempt;
    const { queue, metrics, clock } = this.#options;
    if (this.#undo(attempt)) queue.moveAll(podLeft(attempt.info.pod));
    metrics.attempt("error", profile.schedulerName, (clock.monotonicMs() - started) / 1000);
    queue.failTransient(queued);
  }

  /** Ends the reservations and the assumption. Returns whether the pod counted on its node until now. */
  #undo(attempt: BindingAttempt): boolean {
    const { cache, logger } = this.#options;
    const { info } = attempt;
    runUnreserve(attempt, (plugin, error) => {
      logger.error(error, "Undoing a reservation failed", { plugin: plugin.name, pod: info.key });
    });
    return cache.forget(info);
  }
}
