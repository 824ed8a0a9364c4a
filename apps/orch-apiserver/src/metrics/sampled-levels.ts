import type { FlowController } from "@orchernetes/apiserver";
import type { Gauge, Metrics } from "@orchernetes/component";
import type { RequestsByKind } from "./flow-control-metrics.ts";

type Level = FlowController["levels"][number];
/** Counts a value with the nanoseconds that it lasted. */
type Weighted = (value: number, ...labels: readonly string[]) => void;

/** How often levels are looked at: requests cost nothing for it. */
const sampleMs = 100;
/** Over so many samples the demand of a level is summed up. */
const period = 100;
/** How much of the smoothed demand a period replaces, unless the demand has grown beyond it. */
const decay = 0.023;

const ratioBuckets = [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1];
const seatBuckets = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];
const demandBuckets = [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6];
const kindBuckets = [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];

/** The demand of a level in the present period. */
interface Demand {
  sum: number;
  squares: number;
  highest: number;
  smoothed: number;
}

/** What {@link sampleLevels} looks at. */
export interface SampledFlows {
  readonly levels: () => readonly Level[];
  readonly byKind: RequestsByKind;
  /** `--max-requests-inflight`, `--max-mutating-requests-inflight`. */
  readonly limits: Readonly<Record<"readOnly" | "mutating", number>>;
}

/**
 * The state of priority levels over time: how much of their seats and queues is in use, how many seats they want, and how many
 * they have. Histograms count nanoseconds, as the original's do.
 */
export function sampleLevels(metrics: Metrics, { levels, byKind, limits }: SampledFlows, signal: AbortSignal): void {
  const histogram = (
    what: string,
    help: string,
    labelNames: readonly string[],
    buckets: readonly number[],
  ): Weighted => {
    const of = metrics.histogram({ name: `apiserver_flowcontrol_${what}`, help, labelNames, buckets });
    const known = new Map<string, ReturnType<typeof of.with>>();
    return (value, ...labels) => {
      const key = labels.join("/");
      let series = known.get(key);
      if (series === undefined) {
        series = of.with(...labels);
        known.set(key, series);
      }
      series.observe(value, weight);
    };
  };
  let weight = 0;
  const seatUse = histogram(
    "priority_level_seat_utilization",
    "Share of a level's seats in use, over time.",
    ["priority_level"],
    seatBuckets,
  );
  const requestUse = histogram(
    "priority_level_request_utilization",
    "Share of the requests a level can have waiting or executing, over time.",
    ["phase", "priority_level"],
    ratioBuckets,
  );
  const kindUse = histogram(
    "read_vs_write_current_requests",
    "Share of the requests of a kind that there can be, over time.",
    ["phase", "request_kind"],
    kindBuckets,
  );
  const demandUse = histogram(
    "demand_seats",
    "Seats wanted at a level, as a share of its own, over time.",
    ["priority_level"],
    demandBuckets,
  );
  const gauge = (what: string, help: string, read?: (level: Level) => number): Gauge =>
    metrics.gauge({
      name: `apiserver_flowcontrol_${what}`,
      help,
      labelNames: ["priority_level"],
      ...(read === undefined
        ? {}
        : {
            collect: (g) => {
              for (const level of levels()) if (!level.exempt) g.set(read(level), [level.name]);
            },
          }),
    });
  gauge("request_concurrency_limit", "Seats that are a level's own.", ({ limits: { nominal } }) => nominal);
  gauge("nominal_limit_seats", "Seats that are a level's own.", ({ limits: { nominal } }) => nominal);
  gauge("lower_limit_seats", "Seats that a level never lends.", ({ limits: { least } }) => least);
  gauge("upper_limit_seats", "Seats that a level can have with all it may borrow.", ({ limits: { most } }) => most);
  gauge("current_limit_seats", "Seats that a level has now, with what it borrowed and without what it lent.", (level) =>
    Math.max(level.inUse, Math.min(level.limits.nominal, level.limits.most)),
  );
  const average = gauge("demand_seats_average", "Mean of the seats wanted at a level in the last period.");
  const highest = gauge("demand_seats_high_watermark", "Most seats wanted at a level in the last period.");
  const deviation = gauge(
    "demand_seats_stdev",
    "Standard deviation of the seats wanted at a level in the last period.",
  );
  const smoothed = gauge("demand_seats_smoothed", "Seats wanted at a level, smoothed over periods.");
  const demands = new Map<string, Demand>();
  let samples = 0;
  let last = performance.now();

  const closePeriod = () => {
    for (const [name, demand] of demands) {
      const mean = demand.sum / samples;
      const spread = Math.sqrt(Math.max(0, demand.squares / samples - mean * mean));
      const envelope = mean + spread;
      demand.smoothed = Math.max(envelope, (1 - decay) * demand.smoothed + decay * envelope);
      average.set(mean, [name]);
      highest.set(demand.highest, [name]);
      deviation.set(spread, [name]);
      smoothed.set(demand.smoothed, [name]);
      demand.sum = 0;
      demand.squares = 0;
      demand.highest = 0;
    }
    samples = 0;
  };
  const sample = () => {
    const now = performance.now();
    weight = Math.round((now - last) * 1e6);
    last = now;
    for (const kind of ["readOnly", "mutating"] as const) {
      kindUse(byKind.executing[kind] / Math.max(1, limits[kind]), "executing", kind);
      kindUse(byKind.waiting[kind] / Math.max(1, limits[kind]), "waiting", kind);
    }
    for (const level of levels()) {
      if (level.exempt) continue;
      const { nominal } = level.limits;
      const seats = level.inUse + level.queuedSeats;
      seatUse(level.inUse / nominal, level.name);
      demandUse(seats / nominal, level.name);
      requestUse(level.executing / nominal, "executing", level.name);
      requestUse(level.capacity === 0 ? 0 : level.queued / level.capacity, "waiting", level.name);
      let demand = demands.get(level.name);
      if (demand === undefined) {
        demand = { sum: 0, squares: 0, highest: 0, smoothed: 0 };
        demands.set(level.name, demand);
      }
      demand.sum += seats;
      demand.squares += seats * seats;
      demand.highest = Math.max(demand.highest, seats);
    }
    if (++samples === period) closePeriod();
  };
  const timer = setInterval(sample, sampleMs).unref();
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}
