import type { core } from "@orchernetes/api";
import { isConflict, isNotFound } from "@orchernetes/apimachinery";
import type { LeaseClaim } from "@orchernetes/component-helpers";
import { type Clock, type Logger, messageOf } from "@orchernetes/kernel";
import type { PodInfo } from "./cache/pod-info.ts";
import type { SchedulerCache } from "./cache/scheduler-cache.ts";
import { EXTENDER } from "./extender/extender-binder.ts";
import { podLeft, rejectorOf } from "./framework/cluster-change.ts";
import type { CycleMeter, PointStatus } from "./framework/cycle-meter.ts";
import type { CycleState } from "./framework/cycle-state.ts";
import type { PermitPlugin, PermitResult } from "./framework/interfaces.ts";
import { pluginError } from "./framework/plugin-error.ts";
import type { Profile } from "./framework/profile.ts";
import { MAX_PERMIT_MS, type PermitOutcome, type WaitingPods } from "./framework/waiting-pods.ts";
import { InFlight } from "./in-flight.ts";
import type { SchedulerMetrics } from "./metrics/scheduler-metrics.ts";
import { decidedUnder } from "./plugins/default-binder.ts";
import { isLeaseLost, type UnscheduledStatus } from "./pod-writes.ts";
import type { QueuedPod, SchedulingQueue } from "./queue/scheduling-queue.ts";

/** A decision that is being carried out. */
export interface BindingAttempt {
  readonly queued: QueuedPod;
  /** The pod that the decision is about: `queued.info` may be newer. */
  readonly info: PodInfo;
  readonly node: core.Node;
  readonly profile: Profile;
  readonly state: CycleState;
  readonly meter: CycleMeter;
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

/** Why a binder failed. Errors of an extender are its own, as in the original. */
const bindFailure = (binder: string, error: unknown): string =>
  binder === "" || binder === EXTENDER
    ? messageOf(error)
    : `running Bind plugin ${JSON.stringify(binder)}: ${messageOf(error)}`;

/** @throws Error that names the plugin, if the plugin fails */
function permitOf(plugin: PermitPlugin, info: PodInfo, node: core.Node, state: CycleState): PermitResult {
  try {
    return plugin.permit(info, node, state);
  } catch (cause) {
    throw pluginError(`Permit plugin "${plugin.name}"`, cause);
  }
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
    let permitted: Promise<PermitOutcome> | undefined;
    try {
      this.#reserve(attempt);
      permitted = this.#permit(attempt);
    } catch (error) {
      this.#undo(attempt);
      throw error;
    }
    const { metrics, writes } = this.#options;
    metrics.binding(1);
    const end = () => metrics.binding(-1);
    const prepared = permitted === undefined ? this.#preBind(attempt) : undefined;
    if (permitted === undefined && prepared === undefined) writes.start(() => this.#bind(attempt).finally(end));
    else this.#preparations.start(() => this.#prepareAndBind(attempt, permitted, prepared).finally(end));
  }

  /** @throws Error of the first plugin that fails, with its name */
  #reserve({ info, node, profile, state, meter }: BindingAttempt): void {
    const startedMs = meter.now();
    for (const plugin of profile.reserves)
      try {
        const fromMs = meter.measuresPlugins ? meter.now() : 0;
        plugin.reserve(info, node, state);
        if (meter.measuresPlugins) meter.plugin(plugin.name, "Reserve", "Success", fromMs);
      } catch (cause) {
        meter.point("Reserve", "Error", startedMs);
        throw new Error(`running Reserve plugin "${plugin.name}": ${messageOf(cause)}`, { cause });
      }
    meter.point("Reserve", "Success", startedMs);
  }

  /** Asks the permit plugins. Returns undefined if none holds the pod, otherwise the outcome. */
  #permit({ info, node, profile, state, meter }: BindingAttempt): Promise<PermitOutcome> | undefined {
    if (profile.permits.length === 0) return undefined;
    const startedMs = meter.now();
    let timeouts: Map<string, number> | undefined;
    for (const plugin of profile.permits) {
      const result = permitOf(plugin, info, node, state);
      if (result === undefined) continue;
      if (result.type === "reject") {
        meter.point("Permit", "Unschedulable", startedMs);
        return Promise.resolve({ type: "rejected", plugin: plugin.name, message: result.message });
      }
      timeouts ??= new Map();
      timeouts.set(plugin.name, Math.min(result.timeoutMs, MAX_PERMIT_MS));
    }
    meter.point("Permit", timeouts === undefined ? "Success" : "Wait", startedMs);
    return timeouts && this.#options.waiting.hold(info, nameOf(node), timeouts);
  }

  /** Runs the PreBind plugins. Returns undefined if none has anything to do: most pods are then bound without another promise. */
  #preBind(attempt: BindingAttempt, first = 0): Promise<void> | undefined {
    const { info, node, profile, state } = attempt;
    for (let i = first; i < profile.preBinds.length; i++) {
      const plugin = profile.preBinds[i];
      const failed = (cause: unknown): never => {
        throw new Error(`running PreBind plugin "${plugin?.name}": ${messageOf(cause)}`, { cause });
      };
      let work: Promise<void> | undefined;
      try {
        work = plugin?.preBind(info, node, state, this.#signal);
      } catch (error) {
        work = Promise.reject(error);
      }
      if (work !== undefined) return work.catch(failed).then(() => this.#preBind(attempt, i + 1));
    }
    return undefined;
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
      this.#rejected(attempt, outcome.plugin, outcome.message);
      return;
    }
    const { meter } = attempt;
    const startedMs = meter.now();
    try {
      await (prepared ?? this.#preBind(attempt));
      meter.point("PreBind", "Success", startedMs);
    } catch (error) {
      meter.point("PreBind", "Error", startedMs);
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
    const { cache, queue, metrics, logger, clock, reportFailure, reportBound } = this.#options;
    const elapsed = (since: number) => (clock.monotonicMs() - since) / 1000;
    let binder = "";
    try {
      await this.#runBinders(attempt, (name) => {
        binder = name;
      });
      cache.finishBinding(info, clock.monotonicMs());
      queue.done(queued);
      metrics.attempt("scheduled", profile.schedulerName, elapsed(started));
      metrics.scheduled(queued.attempts, elapsed(queued.readyMs));
      reportBound(info, nameOf(node));
    } catch (error) {
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
      const message = bindFailure(binder, error);
      reportFailure(info, { reason: "SchedulerError", message, nominatedNodeName: "" });
      return;
    }
    this.#postBind(attempt);
  }

  /** @param running is told the name of the binder that is called next; "" when all have skipped the pod */
  async #runBinders(
    { info, node, profile, state, meter }: BindingAttempt,
    running: (name: string) => void,
  ): Promise<void> {
    const measured = meter.measuresPlugins;
    const startedMs = meter.now();
    const end = (status: PointStatus, plugin: string): void => {
      meter.point("Bind", status, startedMs);
      if (measured) meter.plugin(plugin, "Bind", status, startedMs);
    };
    for (const plugin of profile.binds)
      try {
        running(plugin.name);
        if ((await plugin.bind(info, node, state, this.#signal)) === "skip") continue;
        end("Success", plugin.name);
        return;
      } catch (error) {
        end("Error", plugin.name);
        throw error;
      }
    running("");
    throw new Error("all Bind plugins skipped the pod");
  }

  #postBind({ info, node, profile, state }: BindingAttempt): void {
    for (const plugin of profile.postBinds)
      try {
        plugin.postBind(info, node, state);
      } catch (error) {
        this.#options.logger.error(error, "A PostBind plugin failed", { plugin: plugin.name, pod: info.key });
      }
  }

  /** A Permit plugin rejected the pod: the pod waits for one of the plugin's events. */
  #rejected(attempt: BindingAttempt, name: string, message: string): void {
    const { info, queued, profile, started } = attempt;
    const { queue, metrics, clock, reportFailure } = this.#options;
    const freed = this.#undo(attempt);
    if (this.#signal.aborted) return;
    metrics.attempt("unschedulable", profile.schedulerName, (clock.monotonicMs() - started) / 1000);
    const plugin = profile.permits.find((one) => one.name === name);
    queue.fail(queued, plugin === undefined ? [] : [rejectorOf(plugin)]);
    // The resources are free for other pods; for this pod, nothing has changed.
    if (freed) queue.moveAll(podLeft(info.pod), queued);
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
  #undo({ info, node, profile, state }: BindingAttempt): boolean {
    for (const plugin of profile.reserves.toReversed())
      try {
        plugin.unreserve(info, node, state);
      } catch (error) {
        this.#options.logger.error(error, "Undoing a reservation failed", { plugin: plugin.name, pod: info.key });
      }
    return this.#options.cache.forget(info);
  }
}
