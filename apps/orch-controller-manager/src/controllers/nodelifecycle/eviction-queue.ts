import type { Clock } from "@orchernetes/apimachinery";

interface Zone {
  /** Nodes in the order in which they were added. */
  readonly names: Set<string>;
  /** Nodes per second; 0 or less lets none pass. */
  rate: number;
  /** When the next one may pass, by the monotonic clock. */
  nextMs: number;
}

/**
 * Nodes that wait to be tainted for eviction. Each zone lets its nodes pass in order, one at a time, at its rate. A rate that
 * changes holds for those that wait already: nobody has a reserved turn.
 */
export class EvictionQueue {
  readonly #zones = new Map<string, Zone>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sets the rates of the zones that there are; zones that are not among them are forgotten. */
  setRates(rates: ReadonlyMap<string, number>): void {
    for (const zone of [...this.#zones.keys()]) if (!rates.has(zone)) this.#zones.delete(zone);
    const nowMs = this.#clock.monotonicMs();
    for (const [name, rate] of rates) {
      const zone = this.#zones.get(name);
      if (zone === undefined) {
        this.#zones.set(name, { names: new Set(), rate, nextMs: nowMs });
      } else if (zone.rate !== rate) {
        // Whoever waits under the old rate waits a whole turn of the new one.
        if (rate > 0) zone.nextMs = zone.nextMs > nowMs || zone.rate <= 0 ? nowMs + 1000 / rate : nowMs;
        zone.rate = rate;
      }
    }
  }

  add(zone: string, name: string): void {
    this.#zones.get(zone)?.names.add(name);
  }

  remove(name: string): void {
    for (const { names } of this.#zones.values()) names.delete(name);
  }

  /** The nodes whose turn it is; they wait no longer. */
  take(): readonly string[] {
    const nowMs = this.#clock.monotonicMs();
    const due: string[] = [];
    for (const zone of this.#zones.values()) {
      const [name] = zone.names;
      if (name === undefined || zone.rate <= 0 || zone.nextMs > nowMs) continue;
      zone.names.delete(name);
      zone.nextMs = nowMs + 1000 / zone.rate;
      due.push(name);
    }
    return due;
  }

  /** Milliseconds until {@link take} yields the next node; undefined when none may pass. */
  dueInMs(): number | undefined {
    const nowMs = this.#clock.monotonicMs();
    let soonest: number | undefined;
    for (const { names, rate, nextMs } of this.#zones.values()) {
      if (names.size === 0 || rate <= 0) continue;
      soonest = Math.min(soonest ?? Number.POSITIVE_INFINITY, Math.max(0, nextMs - nowMs));
    }
    return soonest;
  }
}
