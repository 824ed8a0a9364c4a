import type { CacheEvent, Watcher } from "@orchernetes/storage";
import type { VersionForm } from "./version-form.ts";

/**
 * A watch of a version that a webhook converts: delivers the events of another watcher with objects of this version, in the same order.
 * While the webhook is asked, further events wait in the other watcher, which ends if there are too many. When the webhook fails, the
 * watch ends with `aborted`, and {@link failure} says why.
 */
export class ConvertingWatcher implements Watcher {
  readonly #stored: Watcher;
  readonly #form: Pick<VersionForm, "events">;
  #deliver: ((events: readonly CacheEvent[]) => void) | undefined;
  #failure: unknown;
  #held = false;
  #converting = false;
  #ended = false;
  /** Converted, while the client of this watcher holds it. */
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

  /** Delivers what is converted, and lets further events come unless that was too much already. */
  #flush(): void {
    const events = this.#waiting;
    this.#waiting = [];
    if (this.#ended) return;
    if (events.length > 0) this.#deliver?.(events);
    if (!this.#held) this.#stored.resume();
  }
}
