import type { PodInfo } from "../cache/pod-info.ts";
import type { ClusterEvents } from "../framework/interfaces.ts";
import { Heap } from "./heap.ts";

/** A pod waiting to be scheduled. */
export interface QueuedPod {
  info: PodInfo;
  attempts: number;
  /** When it entered the queue it is in, in milliseconds. */
  since: number;
  /** What would help, after a failed attempt. */
  events: ClusterEvents;
  /** Which heap entry is the valid one: entries of an older place are skipped. */
  place: "active" | "backoff" | "unschedulable" | "inFlight";
  ticket: number;
}

interface Entry {
  readonly queued: QueuedPod;
  readonly ticket: number;
  readonly priority: number;
  /** Active: arrival; backoff: when it is over. */
  readonly at: number;
}

export interface SchedulingQueueOptions {
  /** Milliseconds. */
  readonly now: () => number;
  /** @default 1000 */
  readonly initialBackoffMs?: number;
  /** @default 10000 */
  readonly maxBackoffMs?: number;
  /** `--pod-max-in-unschedulable-pods-duration`. @default 300000 */
  readonly maxUnschedulableMs?: number;
}

/**
 * Pods to schedule: active ones by priority then arrival, those backing off after a failure, and unschedulable ones that wait
 * for an event that may help. Event handlers and the scheduling loop share one thread, so each method is a step of its own.
 *
 * An event that arrives while a pod is being scheduled must not be missed: {@link moveAll} is counted, and a pod whose attempt
 * began before the last move goes to back off instead of waiting for another event.
 */
export class SchedulingQueue {
  readonly #options: Required<SchedulingQueueOptions>;
  readonly #pods = new Map<string, QueuedPod>();
  readonly #active = new Heap<Entry>((a, b) => a.priority > b.priority || (a.priority === b.priority && a.at < b.at));
  readonly #backoff = new Heap<Entry>((a, b) => a.at < b.at);
  #ticket = 0;
  #moves = 0;
  #eventsDuring: { readonly move: number; readonly events: ClusterEvents }[] = [];
  #wake: (() => void) | undefined;

  constructor(options: SchedulingQueueOptions) {
    this.#options = { initialBackoffMs: 1000, maxBackoffMs: 10_000, maxUnschedulableMs: 300_000, ...options };
  }

  /** A pod that wants a node appeared, or changed in a way that may matter. */
  add(info: PodInfo): void {
    const known = this.#pods.get(info.key);
    if (known === undefined) {
      const queued: QueuedPod = {
        info,
        attempts: 0,
        since: this.#options.now(),
        events: 0,
        place: "active",
        ticket: 0,
      };
      this.#pods.set(info.key, queued);
      this.#activate(queued);
      return;
    }
    known.info = info;
  }

  /** A waiting pod changed. `mayHelp`: its spec or labels did, so an unschedulable one is tried again. */
  update(info: PodInfo, mayHelp: boolean): void {
    const known = this.#pods.get(info.key);
    if (known === undefined || known.info.uid !== info.uid) {
      this.delete(info.key);
      this.add(info);
      return;
    }
    known.info = info;
    if (mayHelp && known.place === "unschedulable") this.#retry(known);
  }

  delete(key: string): void {
    this.#pods.delete(key);
  }

  /** The next pod to schedule; undefined if none is due. Its attempt counts from here. */
  pop(): QueuedPod | undefined {
    this.#moveDue();
    for (let entry = this.#active.pop(); entry !== undefined; entry = this.#active.pop()) {
      const { queued } = entry;
      if (queued.ticket !== entry.ticket || this.#pods.get(queued.info.key) !== queued) continue;
      queued.place = "inFlight";
      queued.ticket = ++this.#ticket;
      queued.attempts++;
      return queued;
    }
    return undefined;
  }

  /** Number of the last event: to be noted when an attempt begins. */
  get moveCount(): number {
    return this.#moves;
  }

  /** The attempt placed the pod: it is nobody's business here any more. */
  done(queued: QueuedPod): void {
    if (this.#pods.get(queued.info.key) === queued) this.#pods.delete(queued.info.key);
  }

  /** The attempt failed. `events` could help; `movesBefore` is {@link moveCount} from when the attempt began. */
  fail(queued: QueuedPod, events: ClusterEvents, movesBefore: number): void {
    if (this.#pods.get(queued.info.key) !== queued) return;
    queued.since = this.#options.now();
    queued.events = events;
    const missed = this.#eventsDuring.some((e) => e.move > movesBefore && (e.events & events) !== 0);
    if (missed) this.#backOff(queued);
    else queued.place = "unschedulable";
  }

  /** The attempt failed for a reason that passes by itself (an error, a lost race): back off and try again. */
  failTransient(queued: QueuedPod): void {
    if (this.#pods.get(queued.info.key) !== queued) return;
    queued.since = this.#options.now();
    this.#backOff(queued);
  }

  /** Something happened: unschedulable pods that it may help are tried again. */
  moveAll(events: ClusterEvents): void {
    this.#moves++;
    this.#eventsDuring.push({ move: this.#moves, events });
    // Attempts are short: the recent past is all that one can have missed.
    if (this.#eventsDuring.length > 64) this.#eventsDuring = this.#eventsDuring.slice(-32);
    for (const queued of this.#pods.values())
      if (queued.place === "unschedulable" && (queued.events === 0 || (queued.events & events) !== 0))
        this.#retry(queued);
  }

  /** Pods that have waited too long without any event are tried again. To be called now and then. */
  flushUnschedulable(): void {
    const limit = this.#options.now() - this.#options.maxUnschedulableMs;
    for (const queued of this.#pods.values())
      if (queued.place === "unschedulable" && queued.since <= limit) this.#retry(queued);
  }

  /** Resolves when a pod may be due: one was added, or the next back-off is over. */
  async wait(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.#moveDue();
    if (this.#active.size > 0) return;
    const next = this.#backoff.peek();
    await new Promise<void>((resolve) => {
      const delay = next === undefined ? 30_000 : Math.max(next.at - this.#options.now(), 0);
      const timer = setTimeout(done, delay);
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      }
      this.#wake = done;
      signal.addEventListener("abort", done, { once: true });
    });
    this.#wake = undefined;
  }

  /** How many pods are where, for the metrics. */
  counts(): Readonly<Record<"active" | "backoff" | "unschedulable", number>> {
    const counts = { active: 0, backoff: 0, unschedulable: 0 };
    for (const { place } of this.#pods.values()) if (place !== "inFlight") counts[place]++;
    return counts;
  }

  #activate(queued: QueuedPod): void {
    queued.place = "active";
    queued.ticket = ++this.#ticket;
    this.#active.push({ queued, ticket: queued.ticket, priority: queued.info.priority, at: queued.since });
    this.#wake?.();
  }

  #backoffMs(queued: QueuedPod): number {
    const { initialBackoffMs, maxBackoffMs } = this.#options;
    return Math.min(initialBackoffMs * 2 ** Math.max(queued.attempts - 1, 0), maxBackoffMs);
  }

  #retry(queued: QueuedPod): void {
    if (queued.since + this.#backoffMs(queued) <= this.#options.now()) this.#activate(queued);
    else this.#backOff(queued);
  }

  #backOff(queued: QueuedPod): void {
    queued.place = "backoff";
    queued.ticket = ++this.#ticket;
    const at = queued.since + this.#backoffMs(queued);
    this.#backoff.push({ queued, ticket: queued.ticket, priority: 0, at });
    this.#wake?.();
  }

  #moveDue(): void {
    const now = this.#options.now();
    for (let entry = this.#backoff.peek(); entry !== undefined && entry.at <= now; entry = this.#backoff.peek()) {
      this.#backoff.pop();
      const { queued } = entry;
      if (queued.ticket === entry.ticket && queued.place === "backoff" && this.#pods.get(queued.info.key) === queued)
        this.#activate(queued);
    }
  }
}
