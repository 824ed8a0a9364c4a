import { exponentialBuckets, type Histogram, type Metrics } from "@orchernetes/component";
import type { CycleMeter, MeasuredPoint, PointStatus } from "../framework/cycle-meter.ts";
import type { Profile } from "../framework/profile.ts";

/** The part of the cycles in which single plugins are measured, as upstream. */
const PLUGIN_SHARE = 0.1;

/** The instruments that the meters of all profiles share. */
export interface CycleInstruments {
  readonly points: Histogram;
  readonly plugins: Histogram;
  readonly meters: ProfileMeter[];
}

/** Registers the metrics about the parts of scheduling cycles. */
export function cycleInstruments(metrics: Metrics): CycleInstruments {
  const meters: ProfileMeter[] = [];
  metrics.gauge({
    name: "scheduler_plugin_evaluation_total",
    help: "Number of plugin calls by plugin, extension point (PreFilter and Filter only) and profile.",
    type: "counter",
    labelNames: ["plugin", "extension_point", "profile"],
    collect: (gauge) => {
      for (const meter of meters)
        for (const [plugin, point, count] of meter.evaluations()) gauge.set(count, [plugin, point, meter.profile]);
    },
  });
  return {
    meters,
    points: metrics.histogram({
      name: "scheduler_framework_extension_point_duration_seconds",
      help: "Latency of running all plugins of an extension point, in seconds.",
      stability: "STABLE",
      labelNames: ["extension_point", "status", "profile"],
      buckets: exponentialBuckets(0.0001, 2, 12),
    }),
    plugins: metrics.histogram({
      name: "scheduler_plugin_execution_duration_seconds",
      help:
        "Time of a plugin at an extension point, in seconds, in a tenth of the cycles. " +
        "Filter: for the first node of the cycle; Score: for all nodes.",
      labelNames: ["plugin", "extension_point", "status"],
      buckets: exponentialBuckets(0.00001, 1.5, 20),
    }),
  };
}

type Series = ReturnType<Histogram["with"]>;

/** The meter of a profile's cycles. Calls of {@link ProfileMeter.begin} start cycles. */
export class ProfileMeter {
  readonly profile: string;
  readonly #now: () => number;
  /** The meters of cycles in which plugins are measured, and of the others. */
  readonly #sampled: CycleMeter;
  readonly #unsampled: CycleMeter;
  readonly #instruments: CycleInstruments;
  readonly #random: () => number;
  readonly #preFilters: readonly string[];
  /** By number of PreFilter plugins: how often the first so many were called. */
  readonly #preFiltered: Float64Array;
  readonly #filtered = new Map<string, number>();
  /** A map for each point, so that an observation builds no text. */
  readonly #points = new Map<MeasuredPoint, Map<PointStatus, Series>>();

  /** @param now in milliseconds @param random numbers in [0, 1) that choose the cycles in which plugins are measured */
  constructor(instruments: CycleInstruments, profile: Profile, now: () => number, random: () => number) {
    this.profile = profile.schedulerName;
    this.#now = now;
    this.#instruments = instruments;
    this.#random = random;
    this.#preFilters = profile.preFilters.map(({ name }) => name);
    this.#preFiltered = new Float64Array(this.#preFilters.length + 1);
    this.#sampled = this.#meter(true);
    this.#unsampled = this.#meter(false);
    instruments.meters.push(this);
  }

  /** Begins a cycle, and decides whether plugins are measured in it. */
  begin(): CycleMeter {
    return this.#random() < PLUGIN_SHARE ? this.#sampled : this.#unsampled;
  }

  #meter(measuresPlugins: boolean): CycleMeter {
    const { plugins } = this.#instruments;
    return {
      measuresPlugins,
      now: this.#now,
      point: (point, status, startedMs) => this.#series(point, status).observe((this.#now() - startedMs) / 1000),
      empty: (point) => this.#series(point, "Success").observe(0),
      plugin: (plugin, point, status, startedMs) =>
        plugins.observe((this.#now() - startedMs) / 1000, [plugin, point, status]),
      preFiltered: (count) => {
        this.#preFiltered[count] = (this.#preFiltered[count] ?? 0) + 1;
      },
      filtered: (plugin, nodes) => void this.#filtered.set(plugin, (this.#filtered.get(plugin) ?? 0) + nodes),
    };
  }

  #series(point: MeasuredPoint, status: PointStatus): Series {
    let byStatus = this.#points.get(point);
    if (byStatus === undefined) {
      byStatus = new Map();
      this.#points.set(point, byStatus);
    }
    let series = byStatus.get(status);
    if (series === undefined) {
      series = this.#instruments.points.with(point, status, this.profile);
      byStatus.set(status, series);
    }
    return series;
  }

  /** Calls so far, by plugin and extension point; only of plugins that were called. */
  *evaluations(): Iterable<readonly [plugin: string, point: "PreFilter" | "Filter", count: number]> {
    let prepared = 0;
    for (let i = this.#preFilters.length - 1; i >= 0; i--) {
      prepared += this.#preFiltered[i + 1] ?? 0;
      if (prepared > 0) yield [this.#preFilters[i] ?? "", "PreFilter", prepared];
    }
    for (const [plugin, count] of this.#filtered) yield [plugin, "Filter", count];
  }
}
