import { type Clock, type EventLoop, WorkSet } from "@orchernetes/kernel";
import type { Watcher } from "@orchernetes/storage";

/** Below this many watches each event is written at once: there is nothing to save. */
const CROWD = 64;
/**
 * For how long a crowd's watchers gather events before the next write: for each of them three times as long as a write to one
 * takes (25 µs), so that most of the time is left for others, within bounds.
 */
const GATHER_MS = { perWatcher: 0.075, least: 8, most: 300 } as const;

type Held = Pick<Watcher, "pause" | "resume">;

/** The parameters of a {@link WatchPacer}. */
export interface WatchPacerOptions {
  readonly clock: Pick<Clock, "nowMs" | "setTimeout">;
  readonly loop: EventLoop;
  /** How many watches there are. */
  readonly size: () => number;
  /** Called when a round has ended. */
  readonly onRest?: () => void;
}

/**
 * Spares crowds of watchers a write (and an encryption) per event: after a write a watcher gathers for a moment, and gets
 * what arrived in the meantime in one piece. The first event after an idle time is never held. The more watchers were written to, the
 * longer they gather; a round is a {@link WorkSet}, so that it does not block the process.
 */
export class WatchPacer {
  readonly #clock: Pick<Clock, "nowMs" | "setTimeout">;
  readonly #size: () => number;
  /** Gather for the next round. */
  #holding = new Set<Held>();
  /** Since when the first of them does; undefined while no timer runs for them. */
  #sinceMs: number | undefined;
  /** What is left of the round that runs. */
  readonly #due: WorkSet<Held>;

  constructor({ clock, loop, size, onRest = () => {} }: WatchPacerOptions) {
    this.#clock = clock;
    this.#size = size;
    this.#due = new WorkSet<Held>(loop, { work: (watcher) => watcher.resume(), onDone: onRest });
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
    if (this.#sinceMs !== undefined) return;
    this.#sinceMs = this.#clock.nowMs();
    this.#clock.setTimeout(this.#look, GATHER_MS.least).unref();
  }

  /** To be called when a connection has accepted what was written: its watcher continues, with many watchers in the next round. */
  drained(watcher: Held): void {
    if (this.crowded) this.written(watcher);
    else watcher.resume();
  }

  /** Flushes what one watcher collected, if it was held here. */
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

  /** Starts a round, or continues to collect when more watchers wait for it. */
  readonly #look = (): void => {
    const wanted = Math.min(Math.max(this.#holding.size * GATHER_MS.perWatcher, GATHER_MS.least), GATHER_MS.most);
    const left = Math.ceil((this.#sinceMs ?? 0) + wanted - this.#clock.nowMs());
    if (left > 0) {
      this.#clock.setTimeout(this.#look, left).unref();
      return;
    }
    this.#sinceMs = undefined;
    const due = this.#holding;
    this.#holding = new Set();
    this.#due.add(due);
  };
}
