import { core } from "@orchernetes/api";
import { isConflict, isNotFound } from "@orchernetes/apimachinery";
import { type Client, type EventRecorder, type EventType, type Informer, referenceTo } from "@orchernetes/client";
import type { LeaseClaim } from "@orchernetes/component-helpers";
import { type Clock, type EventLoop, type Logger, messageOf } from "@orchernetes/kernel";
import { NominatedPods } from "./cache/nominated-pods.ts";
import type { PodInfo } from "./cache/pod-info.ts";
import { SchedulerCache } from "./cache/scheduler-cache.ts";
import type { FollowedCluster } from "./cluster-state.ts";
import { followCluster } from "./event-handlers.ts";
import { podLeft } from "./framework/cluster-change.ts";
import type { PointStatus } from "./framework/cycle-meter.ts";
import { type Decision, decide } from "./framework/decide.ts";
import type { Reservation } from "./framework/interfaces.ts";
import type { Profile } from "./framework/profile.ts";
import { InFlight } from "./in-flight.ts";
import { ProfileMeter } from "./metrics/profile-meter.ts";
import type { SchedulerMetrics } from "./metrics/scheduler-metrics.ts";
import {
  bindPod,
  evictPod,
  isLeaseLost,
  patchPodStatus,
  type UnscheduledStatus,
  unscheduledPatch,
} from "./pod-writes.ts";
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
  /** The recorder of a profile's events. */
  readonly recorder: (schedulerName: string) => EventRecorder;
  readonly metrics: SchedulerMetrics;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly loop: EventLoop;
  /** Limit of bindings and status writes in flight. @default 100 */
  readonly maxWrites?: number;
  /** [0, 1). @default Math.random */
  readonly random?: () => number;
  /**
   * The lease under which decisions are made; bindings depend on it, and {@link Scheduler.run} begins when the caches are as
   * new as it. @default decisions depend on no lease
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
}

/** A reservation and the plugin that made it. */
interface NamedReservation {
  readonly plugin: string;
  readonly reservation: Reservation;
}

/** A profile with the meter of its cycles. */
interface MeteredProfile {
  readonly profile: Profile;
  readonly meter: ProfileMeter;
}

/** A decision that is being carried out. */
interface BindingAttempt {
  readonly queued: QueuedPod;
  /** The pod that the decision is about: `queued.info` may be newer. */
  readonly info: PodInfo;
  readonly node: string;
  readonly lease: LeaseClaim | undefined;
  readonly profile: MeteredProfile;
  /** Start of the decision, by the monotonic clock, in milliseconds. */
  readonly started: number;
}

/** Time for which decisions may occupy the event loop before others get a turn, in milliseconds. */
const SLICE_MS = 5;
/** Interval of the retries of pods that have been unschedulable for long, in milliseconds. */
const FLUSH_MS = 30_000;
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
  readonly #writes: InFlight;
  /** Pods that wait for their volumes, for up to minutes: they must not keep others from being bound. */
  readonly #preparations = new InFlight(Number.POSITIVE_INFINITY);
  #signal = new AbortController().signal;
  /** Aborts when the server says that another scheduler has the lease. */
  readonly #deposed = new AbortController();
  readonly #random: () => number;
  #start = 0;

  /** Registers the handlers of the informers. Nothing is scheduled before {@link run}. */
  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    this.#writes = new InFlight(options.maxWrites ?? 100);
    const { pods, nodes, queue, cluster, metrics, clock } = options;
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
      { cache: this.#cache, queue, nominated: this.#nominated, responsible: (name) => this.#profiles.has(name) },
    );
  }

  /** The state as it is now; valid in this turn of the event loop. */
  get view(): SchedulerView {
    return { cache: this.#cache, nominated: this.#nominated, start: this.#start, profiles: this.#byName };
  }

  /**
   * Schedules until the signal is aborted. The informers must be running.
   *
   * @throws Error when the server says that another scheduler has the lease
   */
  async run(until: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([until, this.#deposed.signal]);
    this.#signal = signal;
    const { queue, clock, loop } = this.#options;
    try {
      await this.#catchUp(signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    const flush = clock.setInterval(() => this.#flush(), FLUSH_MS);
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
        this.#scheduleOne(queued);
        await this.#writes.room(signal);
        if (clock.monotonicMs() - sliceStart > SLICE_MS) {
          await loop.nextTurn();
          sliceStart = clock.monotonicMs();
        }
      }
      // Waits for bindings in flight, unless the server delays them.
      await this.#preparations.idle(clock, FINISH_MS);
      await this.#writes.idle(clock, FINISH_MS);
    } finally {
      flush.clear();
    }
    if (this.#deposed.signal.aborted) throw this.#deposed.signal.reason;
  }

  /**
   * Waits until the caches have what was written before this scheduler took its lease. Nothing that its predecessor decides
   * is written after that, so they have all its bindings.
   */
  async #catchUp(signal: AbortSignal): Promise<void> {
    const { pods, nodes, cluster, clock, logger, heldLease } = this.#options;
    const informers = [pods, nodes, ...cluster.informers];
    await Promise.all(informers.map((informer) => informer.waitForSync(signal)));
    if (heldLease?.() === undefined) return;
    const startedMs = clock.monotonicMs();
    await Promise.all(informers.map((informer) => informer.catchUp(signal)));
    logger.info("The caches are as new as the lease", { ms: Math.round(clock.monotonicMs() - startedMs) });
  }

  /** Retries pods that have been unschedulable for long, and removes expired assumed pods. */
  #flush(): void {
    const { queue, clock, logger } = this.#options;
    queue.flushUnschedulable();
    const expired = this.#cache.expire(clock.monotonicMs());
    for (const { key, pod } of expired) {
      logger.warn("An assumed pod has expired: its binding was never observed", { pod: key });
      queue.moveAll(podLeft(pod));
    }
  }

  #scheduleOne(queued: QueuedPod): void {
    const { queue, metrics, logger, clock } = this.#options;
    const { info } = queued;
    const metered = this.#profiles.get(info.pod.spec.schedulerName ?? "");
    if (metered === undefined) {
      queue.done(queued);
      return;
    }
    const { schedulerName } = metered.profile;
    const started = clock.monotonicMs();
    try {
      const decision = this.#decide(info, metered);
      if (decision.type === "node") {
        this.#start = decision.next;
        const { evaluated, feasible } = decision;
        const node = this.#cache.nodes.nameOf(decision.slot);
        logger.v(4)?.info("Found a node", { pod: info.key, node, evaluated, feasible });
        metrics.algorithm((clock.monotonicMs() - started) / 1000);
        const reservations = this.#reserve(info, decision.slot, metered);
        this.#nominated.delete(info.key);
        this.#cache.assume(info, node);
        const attempt = { queued, info, node, profile: metered, started, lease: this.#options.heldLease?.() };
        metrics.binding(1);
        const end = () => metrics.binding(-1);
        if (reservations.length === 0) this.#writes.start(() => this.#bind(attempt).finally(end));
        else this.#preparations.start(() => this.#prepareAndBind(attempt, reservations).finally(end));
        return;
      }
      queue.fail(queued, decision.rejectors);
      metrics.attempt("unschedulable", schedulerName, (clock.monotonicMs() - started) / 1000);
      const { message, postFilters } = decision;
      for (const { result } of postFilters) {
        metrics.preemptionAttempt();
        if (result.type === "nominate") this.#makeRoom(info, result.node, result.victims);
        else if (!result.keepNomination) this.#nominated.delete(info.key);
      }
      const nominatedNodeName = this.#nominated.nodeOf(info.key);
      this.#reportFailure(info, { reason: "Unschedulable", message, nominatedNodeName });
    } catch (error) {
      // A pod that a plugin cannot process must not stop the others.
      logger.error(error, "Scheduling failed", { pod: info.key });
      queue.failTransient(queued);
      metrics.attempt("error", schedulerName, (clock.monotonicMs() - started) / 1000);
      this.#reportFailure(info, { reason: "SchedulerError", message: messageOf(error) });
    }
  }

  #decide(info: PodInfo, { profile, meter }: MeteredProfile): Decision {
    const nominations = this.#nominated;
    const nominatedNode = nominations.nodeOf(info.key);
    const cycle = { start: this.#start, random: this.#random, nominatedNode, nominations, meter: meter.begin() };
    return decide(info, this.#cache.nodes, profile, cycle);
  }

  /** Evicts the victims of a preemption. The pod is retried when they have left. */
  #makeRoom(info: PodInfo, node: string, victims: readonly PodInfo[]): void {
    const { client, logger, clock, metrics } = this.#options;
    // Pods of lower priority that are nominated for this node must be scheduled again.
    for (const other of this.#nominated.below(node, info.priority)) {
      this.#nominated.delete(other.key);
      const patch = { metadata: { uid: other.uid }, status: { nominatedNodeName: null } };
      this.#write(other, "Revoking a nomination", () => patchPodStatus(client, other.pod, patch));
    }
    this.#nominated.set(info, node);
    metrics.preemptionVictims(victims.length);
    logger.v(2)?.info("Making room", { pod: info.key, node, victims: victims.map(({ key }) => key) });
    for (const victim of victims)
      this.#write(victim, "Evicting a pod", async () => {
        if (victim.pod.metadata.deletionTimestamp) return;
        await evictPod(client, victim.pod, info.pod.spec.schedulerName ?? "", clock.now());
        this.#event(victim, "Normal", "Preempted", `Preempted by a pod on node ${node}`, "Preempting", info);
      });
  }

  #write(info: PodInfo, what: string, work: () => Promise<void>): void {
    this.#writes.start(() =>
      work().catch((error: unknown) => this.#options.logger.error(error, `${what} failed`, { pod: info.key })),
    );
  }

  /** Reserves what the pod needs on its node. @throws Error if that is not possible; then nothing is reserved */
  #reserve(info: PodInfo, slot: number, { profile, meter }: MeteredProfile): readonly NamedReservation[] {
    const node = this.#cache.nodes.nodeAt(slot);
    const made: NamedReservation[] = [];
    if (node === undefined) return made;
    const startedMs = meter.now();
    try {
      for (const plugin of profile.reserves) {
        const fromMs = meter.measuresPlugins ? meter.now() : 0;
        const reservation = plugin.reserve(info, node);
        if (meter.measuresPlugins) meter.plugin(plugin.name, "Reserve", "Success", fromMs);
        if (reservation !== undefined) made.push({ plugin: plugin.name, reservation });
      }
      meter.point("Reserve", "Success", startedMs);
      return made;
    } catch (error) {
      meter.point("Reserve", "Error", startedMs);
      for (const { reservation } of made) reservation.unreserve();
      throw error;
    }
  }

  /** Writes the reservations of a pod, and then binds it. */
  async #prepareAndBind(attempt: BindingAttempt, reservations: readonly NamedReservation[]): Promise<void> {
    const { info, node } = attempt;
    const { meter } = attempt.profile;
    const startedMs = meter.now();
    let current = "";
    try {
      for (const { plugin, reservation } of reservations) {
        current = plugin;
        await reservation.preBind(this.#signal);
      }
      meter.point("PreBind", "Success", startedMs);
    } catch (error) {
      meter.point("PreBind", "Error", startedMs);
      for (const { reservation } of reservations) reservation.unreserve();
      if (this.#signal.aborted) return;
      const message = `running PreBind plugin "${current}": ${messageOf(error)}`;
      this.#giveUp(attempt);
      this.#options.logger.v(2)?.info("Preparing a node for a pod failed", { pod: info.key, node, error: message });
      if (this.#options.queue.has(info.key)) this.#reportFailure(info, { reason: "SchedulerError", message });
      return;
    }
    await this.#bind(attempt, reservations);
  }

  /** Reverts the assumption about a pod that could not be bound, and retries it later. */
  #giveUp({ queued, info, profile, started }: BindingAttempt): void {
    const { queue, metrics, clock } = this.#options;
    if (this.#cache.forget(info)) queue.moveAll(podLeft(info.pod));
    metrics.attempt("error", profile.profile.schedulerName, (clock.monotonicMs() - started) / 1000);
    queue.failTransient(queued);
  }

  async #bind(attempt: BindingAttempt, reservations: readonly NamedReservation[] = []): Promise<void> {
    const { queued, info, node, profile, started, lease } = attempt;
    const { client, queue, metrics, logger, clock } = this.#options;
    const elapsed = (since: number) => (clock.monotonicMs() - since) / 1000;
    const { meter } = profile;
    const measured = meter.measuresPlugins;
    const startedMs = meter.now();
    const end = (status: PointStatus) => {
      meter.point("Bind", status, startedMs);
      if (measured) meter.plugin("DefaultBinder", "Bind", status, startedMs);
    };
    try {
      await bindPod(client, info.pod, node, lease);
      end("Success");
      this.#cache.finishBinding(info, clock.monotonicMs());
      queue.done(queued);
      metrics.attempt("scheduled", profile.profile.schedulerName, elapsed(started));
      metrics.scheduled(queued.attempts, elapsed(queued.arrivedMs));
      this.#event(info, "Normal", "Scheduled", `Successfully assigned ${info.key} to ${node}`, "Binding");
    } catch (error) {
      end("Error");
      for (const { reservation } of reservations) reservation.unreserve();
      // The pod was deleted and needs no node any more.
      if (isNotFound(error)) queue.done(queued);
      this.#giveUp(attempt);
      if (isNotFound(error)) return;
      if (isLeaseLost(error)) {
        this.#deposed.abort(new Error(`another scheduler leads: ${messageOf(error)}`));
        return;
      }
      // After a conflict the watch reports the pod's new state; it is not an error for users.
      if (isConflict(error)) {
        logger.v(2)?.info("The pod changed before it was bound", { pod: info.key, node, error: messageOf(error) });
        return;
      }
      logger.error(error, "Binding failed", { pod: info.key, node });
      this.#reportFailure(info, { reason: "SchedulerError", message: `binding rejected: ${messageOf(error)}` });
    }
  }

  #reportFailure(info: PodInfo, status: UnscheduledStatus): void {
    const { client, clock } = this.#options;
    this.#event(info, "Warning", "FailedScheduling", status.message, "Scheduling");
    const patch = unscheduledPatch(info.pod, status, clock.now());
    if (patch !== undefined)
      this.#write(info, "Writing the PodScheduled condition", () => patchPodStatus(client, info.pod, patch));
  }

  /** Records an event with the recorder of the profile of `by`. */
  #event(info: PodInfo, type: EventType, reason: string, message: string, action: string, by = info): void {
    const recorder = this.#options.recorder(by.pod.spec.schedulerName ?? "");
    const related = by === info ? {} : { related: referenceTo(core.pods, by.pod) };
    recorder.event(referenceTo(core.pods, info.pod), type, reason, message, { action, ...related });
  }
}
