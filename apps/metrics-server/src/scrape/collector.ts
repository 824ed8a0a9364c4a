import type { Check } from "@orchernetes/component";
import type { Clock } from "@orchernetes/kernel";
import type { MetricStorage } from "../storage/metric-storage.ts";
import type { MetricsBatch } from "../storage/metrics-batch.ts";
import type { ScrapeMetrics } from "./scrape-metrics.ts";

/** What the collector reads, how often, and where it puts the result. */
export interface CollectorOptions {
  readonly scrape: (signal: AbortSignal) => Promise<MetricsBatch>;
  readonly storage: MetricStorage;
  readonly resolutionMs: number;
  readonly metrics: ScrapeMetrics;
  readonly clock: Clock;
}

/** Reads all nodes again and again. */
export class Collector {
  readonly #options: CollectorOptions;
  #lastStartMs: number | undefined;

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  /** Reads at once and then every resolution, until the signal aborts. A reading ends when the next one is due. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, resolutionMs } = this.#options;
    const beganMs = clock.monotonicMs();
    for (let tick = 1; !signal.aborted; tick++) {
      await this.#tick(signal);
      // A reading that took too long does not make the next ones follow each other without a pause.
      tick = Math.max(tick, Math.ceil((clock.monotonicMs() - beganMs) / resolutionMs));
      await clock.sleep(beganMs + tick * resolutionMs - clock.monotonicMs(), signal).catch(() => undefined);
    }
  }

  async #tick(signal: AbortSignal): Promise<void> {
    const { clock, resolutionMs, scrape, storage, metrics } = this.#options;
    const startMs = clock.monotonicMs();
    this.#lastStartMs = startMs;
    const limit = new AbortController();
    const timer = clock.setTimeout(() => limit.abort(), resolutionMs);
    try {
      const batch = await scrape(AbortSignal.any([signal, limit.signal]));
      if (!signal.aborted) storage.store(batch);
    } finally {
      timer.clear();
    }
    metrics.ticked(clock.monotonicMs() - startMs);
  }

  /** Fails when no reading has begun for one and a half times the resolution. */
  get timelyCheck(): Check {
    return {
      name: "metric-collection-timely",
      check: () => {
        const { clock, resolutionMs } = this.#options;
        if (this.#lastStartMs === undefined || clock.monotonicMs() - this.#lastStartMs <= 1.5 * resolutionMs) return;
        throw new Error("metric collection didn't finish on time");
      },
    };
  }
}
