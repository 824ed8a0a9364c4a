import type { Watcher } from "@orchernetes/storage";
import type { Clock } from "../interfaces/index.ts";

/** Below this many watches each event is written at once: there is nothing to save. */
const CROWD = 64;
/**
 * Least and most time for which a crowd's watchers gather events before the next write. The most is greater for more than 800
 * watchers, so much for each: a round of writes to 5,000 takes a tenth of a second.
 */
const GATHER_MS = { least: 8, most: 40, mostPerWatcher: 0.05 } as const;
/** A crowd gathers this many times as long as its last round of writes took, so that most of the time is left for others. */
const GATHER_TO_WRITE = 3;
/** A round of writes lets other work in after this long. */
const SLICE_MS = 10;

type Held = Pick<Watcher, "pause" | "resume">;

/**
 * Spares crowds of watchers a write (and an encryption) per event: after a write a watcher gathers for a moment, and gets
 * what came meanwhile in one piece. The first event after a quiet time is never held. The longer a round of writes takes,
 * the longer the next one is gathered for; no round blocks the process for much longer than {@link SLICE_MS}.
 */
export class WatchPacer {
  readonly #clock: Pick<Clock, "now" | "setTimeout">;
  readonly #size: () => number;
  readonly #rested: () => void;
  /** Gather for the next round. */
  #holding = new Set<Held>();
  /** What is left of the round that runs. */
  readonly #due = new Set<Held>();
  #spentMs = 0;
  #gatherMs: number = GATHER_MS.least;

  /**
   * @param size how many watches there are
   * @param rested called when a round has ended
   */
  constructor(clock: Pick<Clock, "now" | "setTimeout">, size: () => number, rested: () => void = () => {}) {
    this.#clock = clock;
    this.#size = size;
    this.#rested = rested;
  }

  /** Whether there are so many watches that writing each event by itself would cost too much. */
  get crowded(): boolean {
    return this.#size() >= CROWD;
  }

  /** To be called after a write that the connection took at once. */
  written(watcher: Held): void {
    if (!this.crowded) return;
    watcher.pause();
    this.#holding.add(watcher);
    if (this.#holding.size === 1) this.#clock.setTimeout(() => this.#gathered(), this.#gatherMs);
  }

  /** To be called when a connection has taken what was written: its watcher goes on, in a crowd with the next round. */
  drained(watcher: Held): void {
    if (this.crowded) this.written(watcher);
    else watcher.resume();
  }

  /** Lets one watcher have what it gathered, if it was held here. */
  release(watcher: Held): void {
    const held = this.#holding.has(watcher) || this.#due.has(watcher);
    this.forget(watcher);
    if (held) watcher.resume();
  }

  /** To be called when a watch ends. */
  forget(watcher: Held): void {
    this.#holding.delete(watcher);
    this.#due.delete(watcher);
  }

  #gathered(): void {
    const running = this.#due.size > 0;
    for (const watcher of this.#holding) this.#due.add(watcher);
    this.#holding = new Set();
    if (!running) this.#writeSlice();
  }

  #writeSlice(): void {
    const started = this.#clock.now();
    let spent = 0;
    for (const watcher of this.#due) {
      if (spent >= SLICE_MS) {
        this.#spentMs += spent;
        this.#clock.setTimeout(() => this.#writeSlice(), 0);
        return;
      }
      this.#due.delete(watcher);
      watcher.resume();
      spent = this.#clock.now() - started;
    }
    const wanted = (this.#spentMs + spent) * GATHER_TO_WRITE;
    const most = Math.max(GATHER_MS.most, this.#size() * GATHER_MS.mostPerWatcher);
    this.#gatherMs = Math.min(Math.max(wanted, GATHER_MS.least), most);
    this.#spentMs = 0;
    this.#rested();
  }
}
