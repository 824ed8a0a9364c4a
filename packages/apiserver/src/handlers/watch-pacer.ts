import { type Clock, type EventLoop, WorkSet } from "@orchernetes/kernel";
import type { Watcher } from "@orchernetes/storage";

/**
 * Number of watches from which on events are gathered. Below it, writing each event immediately costs too little to
 * delay any.
 */
const CROWD = 64;
/**
 * How long watchers gather events before the next write, in milliseconds: for each watcher three times as long as a
 * write to one takes (25 µs), so that most of the time is left for other work, within bounds.
 */
const GATHER_MS = { perWatcher: 0.075, least: 8, most: 300 } as const;

type Held = Pick<Watcher, "pause" | "resume">;

/** The parameters of a {@link WatchPacer}. */
export interface WatchPacerOptions {
  readonly clock: Pick<Clock, "nowMs" | "setTimeout">;
  readonly loop: EventLoop;
  /** Returns the number of watches. */
  readonly size: () => number;
  /** Called when a round has ended. */
  readonly onRest?: () => void;
}

/**
 * Limits how often events are written when there are many watches. A write costs about the same for one event as for
 * twenty (a system call and a TLS record), so after a write a watcher is paused for a moment and then gets what arrived
 * meanwhile in one piece.
 *
 * The first event after an idle time is never delayed. The more watchers were written to, the longer the pause. A round
 * of writes is a {@link WorkSet}, which runs in several turns of the event loop, so that requests are served in
 * between.
 */
export class WatchPacer {
  readonly #clock: Pick<Clock, "nowMs" | "setTimeout">;
  readonly #size: () => number;
  /** Watchers that gather events for the next round. */
  #holding = new Set<Held>();
  /** Time since when the first of them gathers; undefined while no timer runs. */
  #sinceMs: number | undefined;
  /** The rest of the round that is running. */
  readonly #due: WorkSet<Held>;

  constructor({ clock, loop, size, onRest = () => {} }: WatchPacerOptions) {
    this.#clock = clock;
    this.#size = size;
    this.#due = new WorkSet<Held>(loop, { work: (watcher) => watcher.resume(), onDone: onRest });
  }

  /** Whether there are enough watches for gathering. */
  get crowded(): boolean {
    return this.#size() >= CROWD;
  }

  /**
   * Must be called after a write that did not fill the connection's buffer. With many watches, pauses the watcher until
   * the next round.
   */
  written(watcher: Held): void {
    if (!this.crowded) return;
    watcher.pause();
    this.#holding.add(watcher);
    if (this.#sinceMs !== undefined) return;
    this.#sinceMs = this.#clock.nowMs();
    this.#clock.setTimeout(this.#look, GATHER_MS.least).unref();
  }

  /** Must be called when a connection has drained: its watcher continues, with many watches in the next round. */
  drained(watcher: Held): void {
    if (this.crowded) this.written(watcher);
    else watcher.resume();
  }

  /** Resumes one watcher if it was paused here, so that it delivers what it gathered. */
  release(watcher: Held): void {
    const held = this.#holding.has(watcher) || this.#due.has(watcher);
    this.forget(watcher);
    if (held) watcher.resume();
  }

  /** Must be called when a watch ends. */
  forget(watcher: Held): void {
    this.#holding.delete(watcher);
    this.#due.delete(watcher);
  }

  /** Starts a round, or waits longer if more watchers have joined since the timer was set. */
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
