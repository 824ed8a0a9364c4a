import type { Clock } from "@orchernetes/kernel";
import type { ProxyMetrics } from "../metrics.ts";

/** Annotation of EndpointSlices: when the last change of a pod or service behind them happened. */
const TRIGGER_TIME = "endpoints.orchernetes.io/last-change-trigger-time";

/** Trigger times that are kept for one synchronization: with more changes the latency of some is not measured. */
const MAX_TRIGGERS = 10_000;

/** Counts changes until they are synchronized, for the metrics. */
export class ChangeLog {
  readonly #metrics: ProxyMetrics;
  readonly #clock: Clock;
  #services = 0;
  #endpoints = 0;
  #triggeredMs: number[] = [];
  /** Times of changes from before the daemon started say nothing about its latency. */
  readonly #startMs: number;

  constructor(metrics: ProxyMetrics, clock: Clock) {
    this.#metrics = metrics;
    this.#clock = clock;
    this.#startMs = clock.nowMs();
  }

  /** A service was added, changed or deleted. */
  serviceChanged(): void {
    this.#services++;
    this.#metrics.serviceChanges.inc();
    this.#metrics.serviceChangesPending.set(this.#services);
  }

  /** A slice was added, changed or deleted. @param annotations those of the slice; undefined for a deleted one */
  endpointsChanged(annotations: Readonly<Record<string, string>> | undefined): void {
    this.#endpoints++;
    this.#metrics.endpointChanges.inc();
    const triggeredMs = Date.parse(annotations?.[TRIGGER_TIME] ?? "");
    // A comparison with NaN is false: slices without the annotation are not measured.
    if (triggeredMs >= this.#startMs && this.#triggeredMs.length < MAX_TRIGGERS) this.#triggeredMs.push(triggeredMs);
    this.#metrics.endpointChangesPending.set(this.#endpoints);
  }

  /** A synchronization is asked for. */
  queued(): void {
    this.#metrics.lastQueued.set(this.#clock.nowMs() / 1000);
  }

  /**
   * Begins a synchronization of all changes so far.
   * @returns a function to be called when it has succeeded, or with what went wrong
   */
  begin(): (outcome: "synced" | "failed") => void {
    const startMs = this.#clock.monotonicMs();
    const triggeredMs = this.#triggeredMs;
    this.#triggeredMs = [];
    const [services, endpoints] = [this.#services, this.#endpoints];
    return (outcome) => {
      this.#metrics.syncDuration.observe((this.#clock.monotonicMs() - startMs) / 1000);
      if (outcome === "failed") {
        this.#triggeredMs = [...triggeredMs, ...this.#triggeredMs].slice(0, MAX_TRIGGERS);
        return;
      }
      const nowMs = this.#clock.nowMs();
      this.#services -= services;
      this.#endpoints -= endpoints;
      this.#metrics.serviceChangesPending.set(this.#services);
      this.#metrics.endpointChangesPending.set(this.#endpoints);
      this.#metrics.lastSynced.set(nowMs / 1000);
      for (const ms of triggeredMs) this.#metrics.programmingDuration.observe(Math.max(0, nowMs - ms) / 1000);
    };
  }
}
