import type { Clock } from "@orchernetes/kernel";

/** The queue of one zone. */
interface Zone {
  /** Nodes in the order in which they were added. */
  readonly names: Set<string>;
  /** Nodes per second; 0 or less stops evictions. */
  rate: number;
  /** When the next node may be taken, by the monotonic clock. */
  nextMs: number;
}

/**
 * Nodes waiting to be tainted for eviction. Each zone releases its nodes in order, one at a time, at its rate. A
 * changed rate also applies to nodes that are already queued.
 */
export class EvictionQueue {
  readonly #zones = new Map<string, Zone>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sets the rates of all zones; other zones are removed. */
  setRates(rates: ReadonlyMap<string, number>): void {
    for (const zone of [...this.#zones.keys()]) if (!rates.has(zone)) this.#zones.delete(zone);
    const nowMs = this.#clock.monotonicMs();
    for (const [name, rate] of rates) {
      const zone = this.#zones.get(name);
      if (zone === undefined) {
        this.#zones.set(name, { names: new Set(), rate, nextMs: nowMs });
      } else if (zone.rate !== rate) {
        // Queued nodes wait a full interval of the new rate.
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

  /** Removes and returns the nodes whose turn it is. */
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

  /** Milliseconds until {@link take} returns the next node; undefined if no zone may release one. */
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
