import type { Revision } from "../revision.ts";
import type { ObjectChange } from "./entry.ts";

/**
 * Changes younger than this (milliseconds) are kept, within the upper limit of the capacity. Clients whose watch
 * ended, for example at a restart of a proxy, resume within this time instead of listing again.
 */
const FRESH_MS = 75_000;
/** Bounds of the capacity, in changes. */
const LOWER_BOUND = 100;
const UPPER_BOUND = 102_400;

/**
 * The latest changes, for watches that start in the past. As in Kubernetes' watch cache, the capacity doubles when it
 * is full of changes younger than 75 s, and halves when a quarter would hold those, so that memory follows the rate
 * of changes.
 */
export class EventWindow {
  #ring: (ObjectChange | undefined)[];
  #times: Float64Array;
  #start = 0;
  #length = 0;
  #grown = 0;
  #shrunk = 0;
  #floor: Revision;
  readonly #fixed: boolean;

  /**
   * @param floor revision up to which changes are unknown
   * @param fixedSize keeps exactly that many changes instead
   */
  constructor(floor: Revision, fixedSize?: number) {
    const capacity = fixedSize ?? LOWER_BOUND;
    this.#ring = new Array(capacity);
    this.#times = new Float64Array(capacity);
    this.#floor = floor;
    this.#fixed = fixedSize !== undefined;
  }

  /** The oldest revision after which every change is available. */
  get floor(): Revision {
    return this.#floor;
  }

  /** Number of changes that can be kept now. */
  get capacity(): number {
    return this.#ring.length;
  }

  /** Number of increases of the capacity. */
  get grown(): number {
    return this.#grown;
  }

  /** Number of decreases of the capacity. */
  get shrunk(): number {
    return this.#shrunk;
  }

  /** Drops all changes; those up to `floor` are unknown from now on. */
  reset(floor: Revision): void {
    this.#ring.fill(undefined);
    this.#start = 0;
    this.#length = 0;
    this.#floor = floor;
  }

  /** Adds the latest change. The oldest one is dropped when the window is full. */
  push(change: ObjectChange, nowMs: number): void {
    if (this.#length === this.capacity) this.#makeRoom(nowMs);
    const at = (this.#start + this.#length) % this.capacity;
    this.#ring[at] = change;
    this.#times[at] = nowMs;
    this.#length++;
  }

  /** The changes with a revision > `after`, which must be at least `floor`, in order. */
  *since(after: Revision): Generator<ObjectChange> {
    for (let i = this.#firstAfter(after); i < this.#length; i++) {
      const change = this.#ring[(this.#start + i) % this.capacity];
      if (change !== undefined) yield change;
    }
  }

  #makeRoom(nowMs: number): void {
    const oldest = this.#times[this.#start] ?? 0;
    if (!this.#fixed && oldest > nowMs - FRESH_MS && this.capacity < UPPER_BOUND) {
      this.#resize(Math.min(this.capacity * 2, UPPER_BOUND));
      return;
    }
    // At a low rate of changes the older half of the capacity is released.
    const quarter = (this.#start + this.#length - (this.capacity >> 2)) % this.capacity;
    if (!this.#fixed && this.capacity > LOWER_BOUND && (this.#times[quarter] ?? 0) < nowMs - FRESH_MS) {
      this.#resize(Math.max(this.capacity >> 1, LOWER_BOUND));
    }
    while (this.#length >= this.capacity) this.#drop();
  }

  #drop(): void {
    const change = this.#ring[this.#start];
    this.#ring[this.#start] = undefined;
    this.#start = (this.#start + 1) % this.capacity;
    this.#length--;
    if (change !== undefined) this.#floor = change.revision;
  }

  #resize(capacity: number): void {
    if (capacity > this.capacity) this.#grown++;
    else this.#shrunk++;
    while (this.#length > capacity) this.#drop();
    const ring: (ObjectChange | undefined)[] = new Array(capacity);
    const times = new Float64Array(capacity);
    for (let i = 0; i < this.#length; i++) {
      const from = (this.#start + i) % this.capacity;
      ring[i] = this.#ring[from];
      times[i] = this.#times[from] ?? 0;
    }
    this.#ring = ring;
    this.#times = times;
    this.#start = 0;
  }

  #firstAfter(after: Revision): number {
    let low = 0;
    let high = this.#length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const change = this.#ring[(this.#start + middle) % this.capacity];
      if (change !== undefined && change.revision <= after) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
