import type { Metrics } from "@orchernetes/component";
import type { RequestsByKind } from "./flow-control-metrics.ts";
import { type Level, levelGauges, levelHistograms } from "./level-instruments.ts";
import { SeatDemand } from "./seat-demand.ts";

/** How often levels are looked at: requests cost nothing for it. */
const sampleMs = 100;
/** Over so many samples the demand of a level is summed up. */
const period = 100;

/** What {@link sampleLevels} looks at. */
export interface SampledFlows {
  readonly levels: () => readonly Level[];
  readonly byKind: RequestsByKind;
  /** `--max-requests-inflight`, `--max-mutating-requests-inflight`. */
  readonly limits: Readonly<Record<"readOnly" | "mutating", number>>;
}

/**
 * The state of priority levels over time: how much of their seats and queues is in use, how many seats they want, and how many
 * they have.
 */
export function sampleLevels(metrics: Metrics, { levels, byKind, limits }: SampledFlows, signal: AbortSignal): void {
  const { seatUse, requestUse, kindUse, demandUse } = levelHistograms(metrics);
  const { average, highest, deviation, smoothed } = levelGauges(metrics, levels);
  const demands = new Map<string, SeatDemand>();
  let samples = 0;
  let last = performance.now();

  const closePeriod = () => {
    for (const [name, demand] of demands) {
      const statistics = demand.close(samples);
      average.set(statistics.mean, [name]);
      highest.set(statistics.highest, [name]);
      deviation.set(statistics.deviation, [name]);
      smoothed.set(statistics.smoothed, [name]);
    }
    samples = 0;
  };
  const sampleLevel = (level: Level, weight: number) => {
    const { nominal } = level.limits;
    const seats = level.inUse + level.queuedSeats;
    seatUse(weight, level.inUse / nominal, level.name);
    demandUse(weight, seats / nominal, level.name);
    requestUse(weight, level.executing / nominal, "executing", level.name);
    requestUse(weight, level.capacity === 0 ? 0 : level.queued / level.capacity, "waiting", level.name);
    let demand = demands.get(level.name);
    if (demand === undefined) {
      demand = new SeatDemand();
      demands.set(level.name, demand);
    }
    demand.add(seats);
  };
  const sample = () => {
    const now = performance.now();
    const weight = Math.round((now - last) * 1e6);
    last = now;
    for (const kind of ["readOnly", "mutating"] as const) {
      kindUse(weight, byKind.executing[kind] / Math.max(1, limits[kind]), "executing", kind);
      kindUse(weight, byKind.waiting[kind] / Math.max(1, limits[kind]), "waiting", kind);
    }
    for (const level of levels()) if (!level.exempt) sampleLevel(level, weight);
    if (++samples === period) closePeriod();
  };
  const timer = setInterval(sample, sampleMs).unref();
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}
