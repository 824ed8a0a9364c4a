import type { Correlation } from "./event-correlator.ts";
import type { EventObject } from "./event-object.ts";

/** An event to be written, and how. */
export interface EventWrite {
  /** The event as it was recorded; its name is free. */
  readonly incoming: EventObject;
  readonly correlation: Exclude<Correlation, { type: "drop" }>;
}

export interface EventQueueOptions {
  /** Writes under way at the same time. */
  readonly parallel: number;
  /** Events that may wait; those beyond are refused. */
  readonly size: number;
  /** Never rejects. */
  readonly write: (write: EventWrite) => Promise<void>;
}

/**
 * Writes events, several at a time, but those of one stored event in order and one after the other: a count must not be
 * raised before its event exists. Of several that wait for the same stored event only the latest is written, which says what
 * the others would have said.
 */
export class EventQueue {
  /** By the name of the stored event, in the order in which they came. */
  readonly #waiting = new Map<string, EventWrite>();
  readonly #busy = new Set<string>();
  readonly #options: EventQueueOptions;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(options: EventQueueOptions) {
    this.#options = options;
  }

  /** Takes the event in; false when too many wait. */
  push(write: EventWrite): boolean {
    const name = write.correlation.event.metadata.name;
    const before = this.#waiting.get(name);
    if (before !== undefined) this.#waiting.set(name, merge(before, write));
    else if (this.#waiting.size >= this.#options.size) return false;
    else this.#waiting.set(name, write);
    this.#start();
    return true;
  }

  /** Resolves when nothing waits or is under way. */
  flush(): Promise<void> {
    if (this.#waiting.size === 0 && this.#busy.size === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers();
    return this.#idle.promise;
  }

  clear(): void {
    this.#waiting.clear();
  }

  #start(): void {
    while (this.#busy.size < this.#options.parallel) {
      const next = this.#next();
      if (next === undefined) break;
      const [name, write] = next;
      this.#waiting.delete(name);
      this.#busy.add(name);
      void this.#options.write(write).finally(() => {
        this.#busy.delete(name);
        this.#start();
      });
    }
    if (this.#waiting.size > 0 || this.#busy.size > 0) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  }

  /** The first that waits for nobody: at most as many are passed over as are under way. */
  #next(): [string, EventWrite] | undefined {
    for (const entry of this.#waiting) if (!this.#busy.has(entry[0])) return entry;
    return undefined;
  }
}

/** One write for two of the same stored event, which is yet to be created if the first would have created it. */
function merge(before: EventWrite, after: EventWrite): EventWrite {
  if (before.correlation.type === "bump" || after.correlation.type === "create") return after;
  const { event } = after.correlation;
  return { incoming: before.incoming, correlation: { type: "create", event } };
}
