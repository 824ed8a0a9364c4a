import type { CacheEvent, Watcher } from "@orchernetes/storage";
import type { VersionForm } from "./version-form.ts";

/**
 * A watch of a version that a webhook converts: delivers the events of another watcher, in the same order, with objects
 * of this version.
 *
 * While the webhook is called, the other watcher is paused and buffers further events. A slow webhook therefore has the
 * same effect as a slow client: when the buffer is full the watch ends, and the client lists and watches again. Nothing
 * waits in memory without a limit. When the webhook fails, the watch ends with `aborted`, and {@link failure} has the
 * error.
 */
export class ConvertingWatcher implements Watcher {
  readonly #stored: Watcher;
  readonly #form: Pick<VersionForm, "events">;
  #deliver: ((events: readonly CacheEvent[]) => void) | undefined;
  #failure: unknown;
  #held = false;
  #converting = false;
  #ended = false;
  /** Events that are converted while the consumer has paused this watcher. */
  #waiting: readonly CacheEvent[] = [];

  constructor(stored: Watcher, form: Pick<VersionForm, "events">) {
    this.#stored = stored;
    this.#form = form;
  }

  /** Why the objects of this watch could not be converted; undefined if they could. */
  get failure(): unknown {
    return this.#failure;
  }

  onEvents(callback: (events: readonly CacheEvent[]) => void): void {
    this.#deliver = callback;
    this.#stored.onEvents((events) => {
      if (events.every(({ type }) => type === "BOOKMARK")) callback(events);
      else this.#convert([...events]);
    });
  }

  onEnd(callback: Parameters<Watcher["onEnd"]>[0]): void {
    this.#stored.onEnd((reason) => {
      this.#ended = true;
      callback(reason);
    });
  }

  pause(): void {
    this.#held = true;
    this.#stored.pause();
  }

  resume(): void {
    this.#held = false;
    if (!this.#converting) this.#flush();
  }

  bookmark(): void {
    this.#stored.bookmark();
  }

  stop(): void {
    this.#stored.stop();
  }

  #convert(events: readonly CacheEvent[]): void {
    this.#converting = true;
    this.#stored.pause();
    this.#form.events(events).then(
      (converted) => {
        this.#converting = false;
        this.#waiting = converted;
        if (!this.#held) this.#flush();
      },
      (error: unknown) => {
        this.#failure = error;
        this.#stored.stop();
      },
    );
  }

  /**
   * Delivers what is converted, and resumes the other watcher unless the consumer has paused this one during the
   * delivery.
   */
  #flush(): void {
    const events = this.#waiting;
    this.#waiting = [];
    if (this.#ended) return;
    if (events.length > 0) this.#deliver?.(events);
    if (!this.#held) this.#stored.resume();
  }
}
