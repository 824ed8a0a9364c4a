import type { Watcher } from "@orchernetes/storage";
import type { Clock } from "../interfaces/index.ts";

/** Below this many watches each event is written at once: there is nothing to save. */
const CROWD = 64;
/** How long a crowd's watchers gather events before the next write. */
const GATHER_MS = 8;

/**
 * Spares crowds of watchers a write (and an encryption) per event: after a write a watcher gathers for a moment, and gets
 * what came meanwhile in one piece. The first event after a quiet time is never held.
 */
export class WatchPacer {
  readonly #clock: Pick<Clock, "setTimeout">;
  readonly #size: () => number;
  #holding: Watcher[] = [];

  constructor(clock: Pick<Clock, "setTimeout">, size: () => number) {
    this.#clock = clock;
    this.#size = size;
  }

  /** To be called after a write that the connection took at once. */
  written(watcher: Pick<Watcher, "pause" | "resume">): void {
    if (this.#size() < CROWD) return;
    watcher.pause();
    this.#holding.push(watcher as Watcher);
    if (this.#holding.length === 1) this.#clock.setTimeout(() => this.release(), GATHER_MS);
  }

  /** Lets every watcher have what it gathered. */
  release(): void {
    const holding = this.#holding;
    this.#holding = [];
    for (const watcher of holding) watcher.resume();
  }
}
