import type { FlowController } from "@orchernetes/apiserver";
import type { Gauge, Metrics } from "@orchernetes/component";

/** A priority level, as it is sampled. */
export type Level = FlowController["levels"][number];

/** Counts a value with the nanoseconds that it lasted. */
export type Weighted = (weight: number, value: number, ...labels: readonly string[]) => void;

const ratioBuckets = [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1];
const seatBuckets = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];
const demandBuckets = [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6];
const kindBuckets = [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];

/** Histograms of shares in use. They count nanoseconds, as the original's do. */
export function levelHistograms(metrics: Metrics) {
  const histogram = (
    what: string,
    help: string,
    labelNames: readonly string[],
    buckets: readonly number[],
  ): Weighted => {
    const of = metrics.histogram({ name: `apiserver_flowcontrol_${what}`, help, labelNames, buckets });
    const known = new Map<string, ReturnType<typeof of.with>>();
    return (weight, value, ...labels) => {
      const key = labels.join("/");
      let series = known.get(key);
      if (series === undefined) {
        series = of.with(...labels);
        known.set(key, series);
      }
      series.observe(value, weight);
    };
  };
  return {
    seatUse: histogram(
      "priority_level_seat_utilization",
      "Share of a level's seats in use, over time.",
      ["priority_level"],
      seatBuckets,
    ),
    requestUse: histogram(
      "priority_level_request_utilization",
      "Share of the requests a level can have waiting or executing, over time.",
      ["phase", "priority_level"],
      ratioBuckets,
    ),
    kindUse: histogram(
      "read_vs_write_current_requests",
      "Share of the requests of a kind that there can be, over time.",
      ["phase", "request_kind"],
      kindBuckets,
    ),
    demandUse: histogram(
      "demand_seats",
      "Seats wanted at a level, as a share of its own, over time.",
      ["priority_level"],
      demandBuckets,
    ),
  };
}

/** Gauges of levels: those of their seats are read with the page, those of their demand are returned to be set. */
export function levelGauges(metrics: Metrics, levels: () => readonly Level[]) {
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
  return {
    average: gauge("demand_seats_average", "Mean of the seats wanted at a level in the last period."),
    highest: gauge("demand_seats_high_watermark", "Most seats wanted at a level in the last period."),
    deviation: gauge("demand_seats_stdev", "Standard deviation of the seats wanted at a level in the last period."),
    smoothed: gauge("demand_seats_smoothed", "Seats wanted at a level, smoothed over periods."),
  };
}
