import type { Clock } from "@orchernetes/kernel";
import type { PodInfo } from "../cache/pod-info.ts";
import type { ClusterChange, Rejector } from "../framework/cluster-change.ts";
import type { ClusterEvents, QueuedPodInfo, QueueSortPlugin } from "../framework/interfaces.ts";
import { prioritySort } from "../plugins/priority-sort.ts";
import { schedulingGates } from "../plugins/scheduling-gates.ts";
import { Heap, type HeapItem } from "./heap.ts";

/** Where a pod is in the queue. */
export type QueuePlace = "active" | "backoff" | "unschedulable" | "gated" | "inFlight";

/** A pod waiting to be scheduled. Owned by the queue; others read it. */
export interface QueuedPod extends HeapItem, QueuedPodInfo {
  info: PodInfo;
  /** Started attempts. */
  attempts: number;
  /** When it was first added to the queue, by the monotonic clock. */
  readonly arrivedMs: number;
  /** When nothing kept it from being scheduled any more, by the monotonic clock: without gates, when it was added. */
  readyMs: number;
  /** When it was added to its current place, by the monotonic clock. */
  sinceMs: number;
  /** When its back-off is over, by the monotonic clock. */
  dueMs: number;
  /** Orders pods of equal priority: the one that was added, or whose last attempt failed, first is first. */
  order: number;
  /** What rejected it at the last attempt, or before the first one; empty: any change may help. */
  rejectors: readonly Rejector[];
  place: QueuePlace;
  /** Number of changes before the attempt started. */
  changesBefore: number;
  /** Whether its spec or labels have changed since the attempt started: the attempt was about the old ones. */
  isOutdated: boolean;
}

/** Counts the pods that are added to a place, by what caused it. As upstream, gated pods and updates of pods are not counted. */
export interface QueueMetrics {
  incoming(place: Exclude<QueuePlace, "inFlight" | "gated">, event: string): void;
}

/** The options of a {@link SchedulingQueue}. */
export interface SchedulingQueueOptions {
  readonly clock: Clock;
  /** Back-off after the first failed attempt, in milliseconds; it doubles with each further one. @default 1000 */
  readonly initialBackoffMs?: number;
  /** @default 10000 */
  readonly maxBackoffMs?: number;
  /** `--pod-max-in-unschedulable-pods-duration`. @default 300000 */
  readonly maxUnschedulableMs?: number;
  /** Extension point QueueSort. @default PrioritySort */
  readonly queueSort?: QueueSortPlugin;
  /**
   * Extension point PreEnqueue: what keeps a pod from being scheduled; undefined if nothing does. Called before the pod
   * becomes active, when it has changed, and when one of the events of what keeps it occurs. @default SchedulingGates
   */
  readonly preEnqueue?: (info: PodInfo) => Rejector | undefined;
  /** @default nothing is counted */
  readonly metrics?: QueueMetrics;
}

/** Longest sleep of {@link SchedulingQueue.wait} when nothing is due. */
const IDLE_MS = 30_000;

const GATES: Rejector = { name: schedulingGates.name, events: 0 };

/**
 * The pending pods: active ones by priority and arrival, those in back-off after a failure, unschedulable ones, which wait for a
 * change that may help, and gated ones, which a PreEnqueue plugin holds back.
 *
 * Events may occur between the state that rejected a pod and {@link fail}: while an extender answers, or Permit holds the pod. The
 * queue therefore knows when each event occurred last; a pod that it may help is retried.
 *
 * A pod in flight (decided, while its binding is being written) stays in the queue until {@link done}, so that changes of it are
 * not lost if the binding fails.
 */
export class SchedulingQueue {
  readonly #clock: Clock;
  readonly #initialBackoffMs: number;
  readonly #maxBackoffMs: number;
  readonly #maxUnschedulableMs: number;
  readonly #preEnqueue: (info: PodInfo) => Rejector | undefined;
  readonly #metrics: QueueMetrics | undefined;
  readonly #pods = new Map<string, QueuedPod>();
  readonly #unschedulable = new Set<QueuedPod>();
  readonly #gated = new Set<QueuedPod>();
  /** Those gated pods that an event may release. */
  readonly #openable = new Set<QueuedPod>();
  readonly #active: Heap<QueuedPod>;
  readonly #backoff = new Heap<QueuedPod>((a, b) => a.dueMs < b.dueMs);
  #order = 0;
  #changes = 0;
  /** By bit of an event: the number of the last change that it was a part of. */
  readonly #lastChanges = new Float64Array(31);
  #wake: (() => void) | undefined;

  constructor(options: SchedulingQueueOptions) {
    this.#clock = options.clock;
    this.#initialBackoffMs = options.initialBackoffMs ?? 1000;
    this.#maxBackoffMs = options.maxBackoffMs ?? 10_000;
    this.#maxUnschedulableMs = options.maxUnschedulableMs ?? 300_000;
    const { queueSort = prioritySort } = options;
    this.#active = new Heap<QueuedPod>((a, b) => queueSort.less(a, b));
    this.#preEnqueue =
      options.preEnqueue ?? ((info) => (schedulingGates.preEnqueue(info) === undefined ? undefined : GATES));
    this.#metrics = options.metrics;
  }

  has(key: string): boolean {
    return this.#pods.has(key);
  }

  /** The entry of a pod; undefined if it is not in the queue. It must not be changed. */
  get(key: string): Readonly<QueuedPod> | undefined {
    return this.#pods.get(key);
  }

  /** Whether an attempt is still about a pod of the queue: it is not if the pod was deleted or replaced meanwhile. */
  holds(queued: QueuedPod): boolean {
    return this.#pods.get(queued.info.key) === queued;
  }

  /** Adds a pod without a node. A known one is updated. */
  add(info: PodInfo): void {
    if (this.#pods.has(info.key)) this.update(info, false);
    else this.#insert(info, "PodAdd");
  }

  #insert(info: PodInfo, event?: string): void {
    const now = this.#clock.monotonicMs();
    const queued: QueuedPod = {
      info,
      attempts: 0,
      arrivedMs: now,
      readyMs: now,
      sinceMs: now,
      dueMs: 0,
      order: ++this.#order,
      rejectors: [],
      place: "active",
      changesBefore: 0,
      isOutdated: false,
      heapIndex: -1,
    };
    this.#pods.set(info.key, queued);
    this.#activate(queued, event);
  }

  /** Updates a waiting pod. `mayHelp`: its spec or labels changed, so an unschedulable one is retried. */
  update(info: PodInfo, mayHelp: boolean): void {
    const known = this.#pods.get(info.key);
    if (known === undefined || known.info.uid !== info.uid) {
      this.delete(info.key);
      this.#insert(info);
      return;
    }
    const reorder = known.place === "active";
    if (reorder) this.#active.remove(known);
    known.info = info;
    if (reorder) this.#active.push(known);
    if (known.place === "gated") this.#activate(known);
    else if (mayHelp && known.place === "unschedulable") this.#retry(known);
    else if (mayHelp && known.place === "inFlight") known.isOutdated = true;
  }

  /** Removes a pod wherever it is. Later results of an attempt in flight are ignored. */
  delete(key: string): void {
    const queued = this.#pods.get(key);
    if (queued === undefined) return;
    this.#pods.delete(key);
    this.#leave(queued);
  }

  /** Returns the next pod to schedule, undefined if none is due, and starts an attempt. */
  pop(): QueuedPod | undefined {
    this.#moveDue();
    const queued = this.#active.pop();
    if (queued === undefined) return undefined;
    queued.place = "inFlight";
    queued.changesBefore = this.#changes;
    queued.isOutdated = false;
    queued.rejectors = [];
    queued.attempts++;
    return queued;
  }

  /** Must be called when the pod was bound, or needs no node any more. */
  done(queued: QueuedPod): void {
    if (this.#pods.get(queued.info.key) === queued) this.#pods.delete(queued.info.key);
  }

  /** Must be called when the attempt found no node. `rejectors` say which changes may help; none: any change. */
  fail(queued: QueuedPod, rejectors: readonly Rejector[]): void {
    if (this.#pods.get(queued.info.key) !== queued) return;
    this.#failed(queued);
    queued.rejectors = rejectors;
    if (queued.isOutdated || this.#changedSince(queued.changesBefore, rejectors)) {
      this.#backOff(queued, "ScheduleAttemptFailure");
      return;
    }
    queued.place = "unschedulable";
    this.#unschedulable.add(queued);
    this.#metrics?.incoming("unschedulable", "ScheduleAttemptFailure");
  }

  /** A pod that failed comes after those that wait already, and, however long its back-off is, before those that are added later. */
  #failed(queued: QueuedPod): void {
    queued.sinceMs = this.#clock.monotonicMs();
    queued.order = ++this.#order;
  }

  /** Whether a change that may help has occurred. Hints are not asked: the objects of the change are not kept. */
  #changedSince(changes: number, rejectors: readonly Rejector[]): boolean {
    if (this.#changes === changes) return false;
    let helpful: ClusterEvents = 0;
    for (const { events } of rejectors) helpful |= events;
    return (
      rejectors.length === 0 || this.#lastChanges.some((last, bit) => last > changes && (helpful & (1 << bit)) !== 0)
    );
  }

  /**
   * Must be called when the attempt failed for a reason that passes by itself (an error, a conflict). The pod is
   * retried after its back-off.
   */
  failTransient(queued: QueuedPod): void {
    if (this.#pods.get(queued.info.key) !== queued) return;
    this.#failed(queued);
    this.#backOff(queued, "ScheduleAttemptFailure");
  }

  /**
   * Retries the unschedulable pods that the change may help, after their back-off, and examines gated ones again.
   *
   * @param except is not retried: its own failure is the change
   */
  moveAll(change: ClusterChange, except?: QueuedPod): void {
    this.#changes++;
    for (let bit = 0; bit < this.#lastChanges.length; bit++)
      if ((change.events & (1 << bit)) !== 0) this.#lastChanges[bit] = this.#changes;
    for (const queued of this.#unschedulable)
      if (queued !== except && mayHelp(change, queued)) this.#retry(queued, change.label);
    // Iterate over a copy: a pod that is still held back is added to the set again.
    const opened = [...this.#openable].filter((queued) => mayHelp(change, queued));
    for (const queued of opened) this.#activate(queued, change.label);
  }

  /**
   * Retries pods that have been unschedulable for longer than the limit, in case an event was missed, and examines gated ones
   * again: what holds them back may depend on the time. Call it regularly.
   */
  flushUnschedulable(): void {
    const limit = this.#clock.monotonicMs() - this.#maxUnschedulableMs;
    for (const queued of this.#unschedulable) if (queued.sinceMs <= limit) this.#retry(queued, "UnschedulableTimeout");
    for (const queued of [...this.#gated]) if (queued.sinceMs <= limit) this.#activate(queued, "UnschedulableTimeout");
  }

  /**
   * Tries pods next, whatever they wait for and however long their back-off is, unless a PreEnqueue plugin holds them back. Pods
   * that do not wait stay where they are.
   *
   * @param keys NAMESPACE/NAME
   */
  activate(keys: Iterable<string>): void {
    for (const key of keys) {
      const queued = this.#pods.get(key);
      if (queued === undefined || queued.place === "active" || queued.place === "inFlight") continue;
      this.#leave(queued);
      this.#activate(queued, "ForceActivate");
    }
  }

  /** Resolves when a pod may be due: one was added, or a back-off is over. One waiter at a time. */
  async wait(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.#moveDue();
    if (this.#active.size > 0) return;
    const next = this.#backoff.peek();
    await new Promise<void>((resolve) => {
      const delay = next === undefined ? IDLE_MS : Math.max(next.dueMs - this.#clock.monotonicMs(), 0);
      const timer = this.#clock.setTimeout(done, delay);
      function done(): void {
        timer.clear();
        signal.removeEventListener("abort", done);
        resolve();
      }
      this.#wake = done;
      signal.addEventListener("abort", done, { once: true });
    });
    this.#wake = undefined;
  }

  /** Number of pods by place, for metrics. Pods in flight are not pending. */
  counts(): Readonly<Record<Exclude<QueuePlace, "inFlight">, number>> {
    return {
      active: this.#active.size,
      backoff: this.#backoff.size,
      unschedulable: this.#unschedulable.size,
      gated: this.#gated.size,
    };
  }

  /** All pods, in the order in which they were added. */
  pods(): Iterable<QueuedPod> {
    return this.#pods.values();
  }

  #leave(queued: QueuedPod): void {
    if (queued.place === "active") this.#active.remove(queued);
    else if (queued.place === "backoff") this.#backoff.remove(queued);
    else if (queued.place === "gated") this.#ungate(queued);
    else this.#unschedulable.delete(queued);
  }

  #ungate(queued: QueuedPod): void {
    this.#gated.delete(queued);
    this.#openable.delete(queued);
  }

  /** Activates a pod, unless something keeps it from being scheduled. @param event in metrics; undefined is not counted */
  #activate(queued: QueuedPod, event?: string): void {
    this.#ungate(queued);
    const rejector = this.#preEnqueue(queued.info);
    if (rejector !== undefined) {
      queued.rejectors = [rejector];
      queued.place = "gated";
      this.#gated.add(queued);
      if (rejector.events !== 0) this.#openable.add(queued);
      return;
    }
    if (queued.place === "gated" && queued.attempts === 0) queued.readyMs = this.#clock.monotonicMs();
    queued.place = "active";
    this.#active.push(queued);
    if (event !== undefined) this.#metrics?.incoming("active", event);
    this.#wake?.();
  }

  #backoffEnd(queued: QueuedPod): number {
    const doublings = Math.min(Math.max(queued.attempts - 1, 0), 32);
    return queued.sinceMs + Math.min(this.#initialBackoffMs * 2 ** doublings, this.#maxBackoffMs);
  }

  #retry(queued: QueuedPod, event?: string): void {
    this.#unschedulable.delete(queued);
    if (this.#backoffEnd(queued) <= this.#clock.monotonicMs()) this.#activate(queued, event);
    else this.#backOff(queued, event);
  }

  #backOff(queued: QueuedPod, event: string | undefined): void {
    queued.place = "backoff";
    queued.dueMs = this.#backoffEnd(queued);
    this.#backoff.push(queued);
    if (event !== undefined) this.#metrics?.incoming("backoff", event);
    this.#wake?.();
  }

  #moveDue(): void {
    const now = this.#clock.monotonicMs();
    for (
      let queued = this.#backoff.peek();
      queued !== undefined && queued.dueMs <= now;
      queued = this.#backoff.peek()
    ) {
      this.#backoff.remove(queued);
      this.#activate(queued, "BackoffComplete");
    }
  }
}

/** Whether a plugin that rejected the pod might accept it after the change. */
function mayHelp(change: ClusterChange, { info, rejectors }: QueuedPod): boolean {
  if (rejectors.length === 0) return true;
  for (const { events, hint } of rejectors) {
    if ((events & change.events) === 0) continue;
    if (hint === undefined) return true;
    try {
      if (hint(info, change) === "queue") return true;
    } catch {
      // If a hint throws, the pod is retried; the attempt reports the error.
      return true;
    }
  }
  return false;
}
