import { core } from "@orchernetes/api";
import { type Client, type EventRecorder, type EventType, type Informer, referenceTo } from "@orchernetes/client";
import type { LeaseClaim } from "@orchernetes/component-helpers";
import { type Clock, type EventLoop, type Logger, messageOf } from "@orchernetes/kernel";
import { BindingCycle } from "./binding-cycle.ts";
import { NominatedPods } from "./cache/nominated-pods.ts";
import type { PodInfo } from "./cache/pod-info.ts";
import { SchedulerCache } from "./cache/scheduler-cache.ts";
import type { FollowedCluster } from "./cluster/cluster-state.ts";
import { followCluster } from "./cluster/event-handlers.ts";
import { eventNote } from "./event-note.ts";
import type { AttemptRecords } from "./extender/attempt-records.ts";
import { decideWithExtenders, type ExtenderServices } from "./extender/decide-with-extenders.ts";
import type { Extender } from "./extender/extender.ts";
import { podLeft } from "./framework/cluster-change.ts";
import type { CycleMeter } from "./framework/cycle-meter.ts";
import { type Cycle, type Decision, decide } from "./framework/decide.ts";
import type { Profile } from "./framework/profile.ts";
import { WaitingPods } from "./framework/waiting-pods.ts";
import { InFlight } from "./in-flight.ts";
import { ProfileMeter } from "./metrics/profile-meter.ts";
import type { SchedulerMetrics } from "./metrics/scheduler-metrics.ts";
import { evictPod, isLeaseLost, patchPodStatus, type UnscheduledStatus, unscheduledPatch } from "./pod-writes.ts";
import type { QueuedPod, SchedulingQueue } from "./queue/scheduling-queue.ts";

/** The options of a {@link Scheduler}. */
export interface SchedulerOptions {
  readonly client: Client;
  /** Pods that are not finished. */
  readonly pods: Informer<core.Pod>;
  readonly nodes: Informer<core.Node>;
  /** The other objects that plugins read. */
  readonly cluster: Pick<FollowedCluster, "informers" | "namespaces" | "volumes">;
  readonly profiles: readonly Profile[];
  readonly queue: SchedulingQueue;
  /** Pods that Permit holds; plugins of the profiles share it. @default none yet */
  readonly waiting?: WaitingPods;
  /** Services that take part in decisions about pods that they are interested in. @default none */
  readonly extenders?: readonly Extender[];
  /** Remembers what extenders answered. @default nothing is remembered */
  readonly attempts?: AttemptRecords;
  /** The recorder of a profile's events. */
  readonly recorder: (schedulerName: string) => EventRecorder;
  readonly metrics: SchedulerMetrics;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly loop: EventLoop;
  /** Number of victims of one preemption that are evicted at the same time. @default all */
  readonly parallelism?: number;
  /** Whether the status of victims says why they are deleted. @default true */
  readonly victimsHaveCondition?: boolean;
  /** Limit of bindings and status writes in flight. @default 100 */
  readonly maxWrites?: number;
  /** [0, 1). @default Math.random */
  readonly random?: () => number;
  /**
   * The lease under which decisions are made; all writes but events depend on it, and {@link Scheduler.run} begins when the
   * caches are as new as it. @default decisions depend on no lease
   */
  readonly heldLease?: () => LeaseClaim | undefined;
}

/** The state that decisions are based on, for explanations. Others must not change it. */
export interface SchedulerView {
  readonly cache: SchedulerCache;
  readonly nominated: NominatedPods;
  /** Where the next search begins. */
  readonly start: number;
  /** By `spec.schedulerName`. */
  readonly profiles: ReadonlyMap<string, Profile>;
  /** Pods that Permit holds. */
  readonly waiting: Pick<WaitingPods, "get">;
}

/** A profile with the meter of its cycles. */
interface MeteredProfile {
  readonly profile: Profile;
  readonly meter: ProfileMeter;
}

/** An attempt to find a node for a pod. */
interface Attempt {
  readonly queued: QueuedPod;
  /** The pod that the decision is about: `queued.info` may be newer. */
  readonly info: PodInfo;
  readonly profile: Profile;
  readonly meter: CycleMeter;
  /** By the monotonic clock, in milliseconds. */
  readonly started: number;
}

/** Time for which decisions may occupy the event loop before others get a turn, in milliseconds. */
const SLICE_MS = 5;
/** Interval of the retries of pods that have been unschedulable for long, in milliseconds. */
const FLUSH_MS = 30_000;
/** The plugin whose attempts count as preemptions. */
const PREEMPTION = "DefaultPreemption";
/** Time for writes in flight after the stop, in milliseconds. */
const FINISH_MS = 3_000;

/**
 * Finds nodes for pods. Decisions are made one at a time, each on one state of the cluster. A chosen node is assumed
 * immediately, so that the next decision takes it into account, while the binding is written in the background:
 * decisions need not wait for the server. If the binding fails, the assumption is reverted and the pod is retried.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #profiles: ReadonlyMap<string, MeteredProfile>;
  readonly #byName: ReadonlyMap<string, Profile>;
  readonly #cache = new SchedulerCache();
  readonly #nominated = new NominatedPods();
  /** Uids of the pods that were tried again while evictions in favor of them were being written. */
  readonly #triedTooEarly = new Set<string>();
  readonly #writes: InFlight;
  readonly #waiting: WaitingPods;
  readonly #binding: BindingCycle;
  /** Aborts when the server says that another scheduler has the lease. */
  readonly #deposed = new AbortController();
  readonly #random: () => number;
  #start = 0;

  /** Registers the handlers of the informers. Nothing is scheduled before {@link run}. */
  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    this.#writes = new InFlight(options.maxWrites ?? 100);
    const { pods, nodes, queue, cluster, metrics, logger, clock } = options;
    this.#waiting = options.waiting ?? new WaitingPods(clock);
    this.#binding = new BindingCycle({
      cache: this.#cache,
      queue,
      waiting: this.#waiting,
      writes: this.#writes,
      metrics,
      logger,
      clock,
      ...(options.heldLease !== undefined && { heldLease: options.heldLease }),
      deposed: (error) => this.#deposed.abort(error),
      reportFailure: (info, status) => this.#reportFailure(info, status),
      reportBound: (info, node) =>
        this.#event(info, "Normal", "Scheduled", `Successfully assigned ${info.key} to ${node}`, "Binding"),
    });
    const metered = (profile: Profile): MeteredProfile => ({
      profile,
      meter: new ProfileMeter(metrics.cycles, profile, () => clock.monotonicMs(), Math.random),
    });
    this.#byName = new Map(options.profiles.map((profile) => [profile.schedulerName, profile]));
    this.#profiles = new Map(options.profiles.map((profile) => [profile.schedulerName, metered(profile)]));
    metrics.followCache(() => ({
      nodes: this.#cache.nodes.size,
      pods: this.#cache.nodes.pods,
      assumedPods: this.#cache.assumedCount,
    }));
    followCluster(
      { pods, nodes, namespaces: cluster.namespaces, volumes: cluster.volumes },
      {
        cache: this.#cache,
        queue,
        nominated: this.#nominated,
        responsible: (name) => this.#profiles.has(name),
        waiting: this.#waiting,
      },
    );
  }

  /** The extenders, and what they are sent. */
  get extenderServices(): Pick<ExtenderServices, "extenders" | "pod" | "node" | "logger"> {
    const { client, nodes, logger, extenders = [] } = this.#options;
    return {
      extenders,
      pod: ({ namespace, pod }, until) =>
        client.resource(core.pods).namespace(namespace).get(pod.metadata.name, { signal: until }),
      node: (name) => nodes.lister.byKey(name),
      logger,
    };
  }

  /** The state as it is now; valid in this turn of the event loop. */
  get view(): SchedulerView {
    return {
      cache: this.#cache,
      nominated: this.#nominated,
      start: this.#start,
      profiles: this.#byName,
      waiting: this.#waiting,
    };
  }

  /**
   * Schedules until the signal is aborted. The informers must be running.
   *
   * @throws Error when the server says that another scheduler has the lease
   */
  async run(until: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([until, this.#deposed.signal]);
    this.#binding.until(signal);
    const { queue, clock, loop } = this.#options;
    try {
      await this.#catchUp(signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    const flush = clock.setInterval(() => queue.flushUnschedulable(), FLUSH_MS);
    flush.unref();
    try {
      let sliceStart = clock.monotonicMs();
      while (!signal.aborted) {
        const queued = queue.pop();
        if (queued === undefined) {
          await queue.wait(signal);
          sliceStart = clock.monotonicMs();
          continue;
        }
        const waiting = this.#scheduleOne(queued, signal);
        if (waiting !== undefined) {
          await waiting;
          sliceStart = clock.monotonicMs();
        }
        await this.#writes.room(signal);
        if (clock.monotonicMs() - sliceStart > SLICE_MS) {
          await loop.nextTurn();
          sliceStart = clock.monotonicMs();
        }
      }
      // Waits for bindings in flight, unless the server delays them.
      await this.#binding.idle(FINISH_MS);
      await this.#writes.idle(clock, FINISH_MS);
    } finally {
      flush.clear();
    }
    if (this.#deposed.signal.aborted) throw this.#deposed.signal.reason;
  }

  /**
   * Waits until the caches contain everything that was written before this scheduler acquired its lease. No decision of its
   * predecessor is written after that, so the caches have all of its bindings.
   */
  async #catchUp(signal: AbortSignal): Promise<void> {
    const { pods, nodes, cluster, clock, logger, heldLease } = this.#options;
    const informers = [pods, nodes, ...cluster.informers];
    await Promise.all(informers.map((informer) => informer.waitForSync(signal)));
    if (heldLease?.() === undefined) return;
    const startedMs = clock.monotonicMs();
    await Promise.all(informers.map((informer) => informer.catchUp(signal)));
    logger.info("The caches have caught up with the lease", { ms: Math.round(clock.monotonicMs() - startedMs) });
  }

  /** Makes an attempt. The result is a promise if extenders have to be waited for. */
  #scheduleOne(queued: QueuedPod, signal: AbortSignal): Promise<void> | undefined {
    const { queue, clock, extenders = [] } = this.#options;
    const { info } = queued;
    const metered = this.#profiles.get(info.pod.spec.schedulerName ?? "");
    if (metered === undefined) {
      queue.done(queued);
      return undefined;
    }
    if (info.pod.metadata.deletionTimestamp) {
      queue.done(queued);
      this.#event(info, "Warning", "FailedScheduling", `skip schedule deleting pod: ${info.key}`, "Scheduling");
      return undefined;
    }
    const { profile, meter } = metered;
    const attempt = { queued, info, profile, meter: meter.begin(), started: clock.monotonicMs() };
    if (extenders.some((extender) => extender.isInterested(info))) return this.#askExtenders(attempt, signal);
    this.#carryOut(attempt, () => decide(info, this.#cache.nodes, profile, this.#cycleOf(attempt)));
    return undefined;
  }

  async #askExtenders(attempt: Attempt, signal: AbortSignal): Promise<void> {
    const { queue, attempts } = this.#options;
    const { queued, info, profile } = attempt;
    const answers = attempts?.begin(info, this.#start);
    const services = { ...this.extenderServices, signal, record: answers?.record };
    const cycle = this.#cycleOf(attempt);
    const decision = await decideWithExtenders(info, this.#cache.nodes, profile, cycle, services).catch(
      (error: unknown) => () => {
        throw error;
      },
    );
    // The pod may have been deleted meanwhile.
    if (signal.aborted || !queue.holds(queued)) return;
    answers?.keep();
    this.#carryOut(attempt, decision);
  }

  /** Carries a decision out, in the turn in which it is made. */
  #carryOut({ queued, info, profile, meter, started }: Attempt, makeDecision: () => Decision): void {
    const { queue, metrics, logger, clock } = this.#options;
    const { schedulerName } = profile;
    try {
      const decision = makeDecision();
      if (decision.type === "node") {
        this.#start = decision.next;
        const { evaluated, feasible } = decision;
        const node = this.#cache.nodes.nodeAt(decision.slot);
        if (node === undefined) throw new Error(`no node has slot ${decision.slot} any more`);
        logger.v(4)?.info("Found a node", { pod: info.key, node: node.metadata.name, evaluated, feasible });
        metrics.algorithm((clock.monotonicMs() - started) / 1000);
        this.#nominated.delete(info.key);
        this.#binding.start({ queued, info, node, profile, meter, state: decision.state, started });
        return;
      }
      queue.fail(queued, decision.rejectors);
      if (this.#nominated.isEvicting(info.uid)) this.#triedTooEarly.add(info.uid);
      metrics.attempt("unschedulable", schedulerName, (clock.monotonicMs() - started) / 1000);
      const { message, postFilters } = decision;
      for (const { plugin, result } of postFilters) {
        if (plugin === PREEMPTION) metrics.preemptionAttempt();
        if (result.type === "nominate") this.#makeRoom(queued, info, result);
        else if (result.type === "error")
          logger.error(result.error, "A PostFilter plugin failed", { plugin, pod: info.key });
        else if (!result.keepNomination) this.#nominated.delete(info.key);
      }
      if (this.#cache.nodes.size === 0) this.#nominated.delete(info.key);
      const nominatedNodeName = this.#nominated.nodeOf(info.key);
      this.#reportFailure(info, { reason: "Unschedulable", message, nominatedNodeName });
    } catch (error) {
      // A pod that a plugin cannot process must not stop the others.
      logger.error(error, "Scheduling failed", { pod: info.key });
      queue.failTransient(queued);
      metrics.attempt("error", schedulerName, (clock.monotonicMs() - started) / 1000);
      // As in the original, an earlier nomination ends with an error; otherwise its node would be kept free in vain.
      this.#nominated.delete(info.key);
      this.#reportFailure(info, { reason: "SchedulerError", message: messageOf(error), nominatedNodeName: "" });
    }
  }

  #cycleOf({ info, meter }: Attempt): Cycle {
    const nominations = this.#nominated;
    const nominatedNode = nominations.nodeOf(info.key);
    return { start: this.#start, random: this.#random, nominatedNode, nominations, meter };
  }

  /** Evicts the victims of a preemption. The pod is retried when they have left. */
  #makeRoom(
    queued: QueuedPod,
    info: PodInfo,
    { node, victims }: { readonly node: string; readonly victims: readonly PodInfo[] },
  ): void {
    const { logger, metrics, queue } = this.#options;
    const lease = this.#options.heldLease?.();
    // Pods of lower priority that are nominated for this node must be scheduled again.
    for (const other of this.#nominated.below(node, info.priority)) this.#changeNomination(other, "", lease);
    const earlier = this.#nominated.nodeOf(info.key);
    this.#nominated.set(info, node);
    metrics.preemptionVictims(victims.length);
    logger.v(2)?.info("Preempting pods", { pod: info.key, node, victims: victims.map(({ key }) => key) });
    const { parallelism = victims.length } = this.#options;
    this.#nominated.setEvicting(info.uid, true);
    let failed = false;
    const evicted = this.#writes.startEach(victims, parallelism, async (victim) => {
      if (!(await this.#evict(info, victim, { node, lease }))) failed = true;
    });
    void evicted.then(() => {
      this.#nominated.setEvicting(info.uid, false);
      if (failed && this.#nominated.nodeOf(info.key) === node) {
        // As in the original, a preemption that failed nominates nothing: the node must not be kept free in vain.
        this.#changeNomination(info, earlier, lease);
        // Others may have been rejected because of the nomination. The pod itself would fail again.
        queue.moveAll(podLeft(info.pod), queued);
      }
      // Events that came meanwhile have woken the pod for an attempt in which it could not preempt.
      const [victim] = victims;
      if (this.#triedTooEarly.delete(info.uid) && victim !== undefined) queue.moveAll(podLeft(victim.pod));
    });
  }

  /** Changes the nominated node of a pod that was nominated; "" ends the nomination. */
  #changeNomination(info: PodInfo, node: string, lease: LeaseClaim | undefined): void {
    const { client } = this.#options;
    this.#nominated.set(info, node);
    const patch = { metadata: { uid: info.uid }, status: { nominatedNodeName: node || null } };
    this.#write(info, "Changing a nomination", () => patchPodStatus(client, info.pod, patch, lease));
  }

  /** Evicts a victim of a preemption. It never rejects. Returns whether the victim leaves. */
  async #evict(
    info: PodInfo,
    victim: PodInfo,
    { node, lease }: { readonly node: string; readonly lease: LeaseClaim | undefined },
  ): Promise<boolean> {
    const { client, logger, clock, victimsHaveCondition = true } = this.#options;
    const held = this.#waiting.get(victim.uid);
    try {
      // A pod that waits for Permit has not started: it is rejected and scheduled again instead.
      if (held !== undefined) held.reject(PREEMPTION, "preempted");
      else
        await evictPod(client, victim.pod, {
          schedulerName: info.pod.spec.schedulerName ?? "",
          now: clock.now(),
          hasCondition: victimsHaveCondition,
          lease,
        });
      this.#event(victim, "Normal", "Preempted", `Preempted by a pod on node ${node}`, "Preempting", info);
      return true;
    } catch (error) {
      if (!this.#endIfDeposed(error)) logger.error(error, "Evicting a pod failed", { pod: victim.key });
      return false;
    }
  }

  #write(info: PodInfo, what: string, work: () => Promise<void>): void {
    this.#writes.start(() =>
      work().catch((error: unknown) => {
        if (!this.#endIfDeposed(error)) this.#options.logger.error(error, `${what} failed`, { pod: info.key });
      }),
    );
  }

  /** Ends {@link run} if the server rejected a write because another scheduler has the lease. Returns whether it did. */
  #endIfDeposed(error: unknown): boolean {
    if (!isLeaseLost(error)) return false;
    this.#deposed.abort(new Error(`another scheduler leads: ${messageOf(error)}`));
    return true;
  }

  #reportFailure(info: PodInfo, status: UnscheduledStatus): void {
    const { client, clock } = this.#options;
    this.#event(info, "Warning", "FailedScheduling", eventNote(status.message), "Scheduling");
    const patch = unscheduledPatch(info.pod, status, clock.now());
    const lease = this.#options.heldLease?.();
    if (patch !== undefined)
      this.#write(info, "Writing the PodScheduled condition", () => patchPodStatus(client, info.pod, patch, lease));
  }

  /** Records an event with the recorder of the profile of `by`. */
  #event(info: PodInfo, type: EventType, reason: string, message: string, action: string, by = info): void {
    const recorder = this.#options.recorder(by.pod.spec.schedulerName ?? "");
    const related = by === info ? {} : { related: referenceTo(core.pods, by.pod) };
    recorder.event(referenceTo(core.pods, info.pod), type, reason, message, { action, ...related });
  }
}
