import { createHash } from "node:crypto";
import type { Clock } from "@orchernetes/kernel";
import type { PriorityLevelConfiguration } from "./configuration.ts";

/** Why a request was rejected: the values of label `reason` of the metric. */
export type RejectReason = "queue-full" | "concurrency-limit" | "time-out" | "cancelled";

/** A request that waits for seats. */
interface Waiting {
  readonly flow: string;
  readonly seats: number;
  readonly sinceMs: number;
  readonly accept: () => void;
  readonly reject: (reason: RejectReason) => void;
}

/** The waiting requests of some flows, in the order of arrival. */
export interface Queue {
  readonly waiting: Waiting[];
  /**
   * Seats that requests of this queue have taken so far ("virtual time" of fair queuing). The queue with the least is
   * served next.
   */
  virtual: number;
}

/** The limits of a level, in seats. */
export interface SeatLimits {
  /** Its share when every level is busy. */
  readonly nominal: number;
  /** Seats that it never lends, and so always gets. */
  readonly least: number;
  /** Seats that it can have with all it may borrow. */
  readonly most: number;
}

/** Decides whether a level may take seats beyond the least that is kept for it. */
export type Lending = (level: PriorityLevel, seats: number) => boolean;

/** The seats and queues of one priority level. */
export class PriorityLevel {
  readonly name: string;
  readonly uid: string;
  readonly exempt: boolean;
  readonly limits: SeatLimits;
  readonly queues: readonly Queue[];
  readonly #handSize: number;
  readonly #lengthLimit: number;
  readonly #lend: Lending;
  readonly #clock: Clock;
  readonly #hands = new Map<string, readonly number[]>();
  inUse = 0;
  executing = 0;
  queued = 0;
  #virtual = 0;

  constructor(configuration: PriorityLevelConfiguration, limits: SeatLimits, lend: Lending, clock: Clock) {
    const { name, uid, spec } = configuration;
    this.name = name;
    this.uid = uid;
    this.exempt = spec.type === "Exempt";
    this.limits = limits;
    this.#lend = lend;
    this.#clock = clock;
    const response = spec.limited?.limitResponse;
    const queuing = response?.type === "Queue" ? response.queuing : undefined;
    const queues = response?.type === "Queue" ? (queuing?.queues ?? 64) : 0;
    this.queues = Array.from({ length: queues }, () => ({ waiting: [], virtual: 0 }));
    this.#handSize = Math.min(queues, queuing?.handSize ?? 8);
    this.#lengthLimit = queuing?.queueLengthLimit ?? 50;
  }

  /** Takes seats if enough are free and no request waits for them. Returns false otherwise. */
  tryEnter(seats: number): boolean {
    if (!this.exempt && (this.queued > 0 || !this.#fits(seats))) return false;
    this.inUse += seats;
    this.executing++;
    return true;
  }

  #fits(seats: number): boolean {
    // A request that is alone is always admitted, whatever its width: otherwise it could wait forever.
    if (this.inUse === 0) return true;
    if (this.inUse + seats <= this.limits.least) return true;
    return this.inUse + seats <= this.limits.most && this.#lend(this, seats);
  }

  /**
   * Waits for seats in the shortest queue of the flow's hand, for at most `waitMs`. Exactly one of `accept` and
   * `reject` is called, perhaps before this method returns; it never throws. The function returned cancels the wait.
   */
  enqueue(
    flow: string,
    seats: number,
    waitMs: number,
    accept: () => void,
    reject: (reason: RejectReason) => void,
  ): () => void {
    const queue = this.#shortest(flow);
    if (queue === undefined) {
      reject("concurrency-limit");
      return () => {};
    }
    if (queue.waiting.length >= this.#lengthLimit) {
      reject("queue-full");
      return () => {};
    }
    const leave = (reason: RejectReason): void => {
      const at = queue.waiting.indexOf(entry);
      if (at < 0) return;
      timer.clear();
      queue.waiting.splice(at, 1);
      this.queued--;
      reject(reason);
      this.dispatch();
    };
    const timer = this.#clock.setTimeout(() => leave("time-out"), waitMs).unref();
    const accepted = () => {
      timer.clear();
      accept();
    };
    const entry: Waiting = { flow, seats, sinceMs: this.#clock.nowMs(), accept: accepted, reject };
    // A queue that was idle starts at the present virtual time: it has not saved up turns.
    if (queue.waiting.length === 0) queue.virtual = Math.max(queue.virtual, this.#virtual);
    queue.waiting.push(entry);
    this.queued++;
    this.dispatch();
    return () => leave("cancelled");
  }

  #shortest(flow: string): Queue | undefined {
    let hand = this.#hands.get(flow);
    if (hand === undefined) {
      hand = dealHand(flow, this.queues.length, this.#handSize);
      // Flows are created and removed with users; the hand can always be dealt again.
      if (this.#hands.size >= 1000) this.#hands.clear();
      this.#hands.set(flow, hand);
    }
    let best: Queue | undefined;
    for (const index of hand) {
      const queue = this.queues[index];
      if (queue !== undefined && (best === undefined || queue.waiting.length < best.waiting.length)) best = queue;
    }
    return best;
  }

  /** Limit of waiting requests. */
  get capacity(): number {
    return this.queues.length * this.#lengthLimit;
  }

  /** Seats that waiting requests need. */
  get queuedSeats(): number {
    if (this.queued === 0) return 0;
    return this.queues.reduce((sum, { waiting }) => sum + waiting.reduce((all, { seats }) => all + seats, 0), 0);
  }

  /** Waiting requests in the shortest queue of the flow's hand. */
  lengthOf(flow: string): number {
    return this.#shortest(flow)?.waiting.length ?? 0;
  }

  leave(seats: number): void {
    this.inUse -= seats;
    this.executing--;
  }

  /** Dispatches waiting requests, fairly by queue, while there are seats. */
  dispatch(): void {
    while (this.queued > 0) {
      let next: Queue | undefined;
      for (const queue of this.queues)
        if (queue.waiting.length > 0 && (next === undefined || queue.virtual < next.virtual)) next = queue;
      const [entry] = next?.waiting ?? [];
      if (next === undefined || entry === undefined || !this.#fits(entry.seats)) return;
      next.waiting.shift();
      this.#virtual = next.virtual;
      next.virtual += entry.seats;
      this.queued--;
      this.inUse += entry.seats;
      this.executing++;
      entry.accept();
    }
  }
}

/**
 * Shuffle sharding: the hand of queues that a flow may use, always the same for a flow. Hands of two flows rarely have
 * all queues in common, so that a busy flow, which fills its own hand, leaves most others at least one short queue
 * (KEP-1040).
 */
export function dealHand(flow: string, queues: number, handSize: number): readonly number[] {
  let entropy = createHash("sha256").update(flow).digest().readBigUInt64BE(0);
  const rest = Array.from({ length: queues }, (_, index) => index);
  const hand: number[] = [];
  while (hand.length < handSize && rest.length > 0) {
    const size = BigInt(rest.length);
    hand.push(...rest.splice(Number(entropy % size), 1));
    entropy /= size;
  }
  return hand;
}
