import { version } from "../version.ts";
import type { InstrumentOptions } from "./instrument.ts";
import {
  type Collected,
  type Counter,
  createCounter,
  createGauge,
  createHistogram,
  type Gauge,
  type GaugeOptions,
  type Histogram,
  type MetricDescription,
} from "./instruments.ts";

/** Upper bounds, in seconds, for the latency of ordinary calls. */
export const defaultBuckets: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** `start, start·factor, …`, `count` bounds in total. */
export const exponentialBuckets = (start: number, factor: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => start * factor ** i);

/** `start, start+width, …`, `count` bounds in total. */
export const linearBuckets = (start: number, width: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => start + width * i);

/** Content type of the metrics page. */
export const metricsContentType = "text/plain; version=0.0.4; charset=utf-8";

/** The selection of metrics by flags. */
export interface MetricsOptions {
  /** `--disabled-metrics`: names that are neither collected nor shown. */
  readonly disabled?: readonly string[];
  /** `--allow-metric-labels`: `metric,label` to `value,value`, in single quotes or without. */
  readonly allowLabels?: ReadonlyMap<string, string>;
  /** `--show-hidden-metrics-for-version`, if it is not empty: shows metrics that an earlier version deprecated. @default "" */
  readonly showHidden?: string;
}

/** The metrics of one process. Passed in with the options of the code that measures; there is no global registry. */
export interface Metrics {
  counter<const L extends string>(options: InstrumentOptions<L>): Counter;
  gauge<const L extends string>(options: GaugeOptions<L>): Gauge;
  /** Buckets default to {@link defaultBuckets}. */
  histogram<const L extends string>(
    options: InstrumentOptions<L> & { readonly buckets?: readonly number[] },
  ): Histogram;
  /** Every metric, including hidden ones, sorted by name; for tests and documentation. */
  describe(): readonly MetricDescription[];
  /** The metrics page in the Prometheus text format; with `names` only these. */
  render(names?: ReadonlySet<string>): string;
}

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

const byName = (a: MetricDescription, b: MetricDescription) => (a.name < b.name ? -1 : 1);

/** Metrics of a registry about itself. */
interface OwnMetrics {
  readonly disabled: Counter;
  readonly hidden: Counter;
  readonly registered: Counter;
}

/** Whether an earlier minor version deprecated the metric, which hides it. */
function isHidden({ deprecated }: InstrumentOptions<string>): boolean {
  if (deprecated === undefined) return false;
  const [major = 0, minor = 0] = deprecated.split(".").map(Number);
  const [thisMajor, thisMinor] = [Number(version.major), Number.parseInt(version.minor, 10)];
  return major < thisMajor || (major === thisMajor && minor < thisMinor);
}

/**
 * Creates an empty registry. Series are kept in maps by their label values: an observation costs one map lookup, or
 * none for a series that `with()` returned. Creating an instrument with an existing name returns the existing
 * instrument.
 */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  const disabled = new Set(options.disabled);
  const showHidden = (options.showHidden ?? "") !== "";
  const instruments = new Map<string, Collected>();
  const shown: Collected[] = [];
  const allowedFor = (name: string, labelNames: readonly string[]) =>
    labelNames.map((label) => {
      const values = options.allowLabels?.get(`${name},${label}`);
      return values === undefined ? undefined : new Set(values.replace(/^'(.*)'$/, "$1").split(","));
    });
  const register = <I extends Collected>(
    of: InstrumentOptions<string>,
    make: (allowed: ReturnType<typeof allowedFor>) => I,
  ): I => {
    if (!metricName.test(of.name)) throw new Error(`"${of.name}" is not a metric name: want ${metricName.source}`);
    const known = instruments.get(of.name);
    if (known !== undefined) return known as I;
    const instrument = make(allowedFor(of.name, of.labelNames ?? []));
    instruments.set(of.name, instrument);
    // A disabled or hidden instrument can be used like any other; it is never rendered.
    if (disabled.has(of.name)) own?.disabled.inc();
    else if (isHidden(of) && !showHidden) own?.hidden.inc();
    else {
      shown.push(instrument);
      if (of.stability !== "none") own?.registered.inc([of.stability ?? "ALPHA", of.deprecated ?? ""]);
    }
    return instrument;
  };
  let own: OwnMetrics | undefined;
  const counterOf = (of: InstrumentOptions<string>) => register(of, (allowed) => createCounter(of, allowed));
  own = {
    disabled: counterOf({ name: "disabled_metric_total", help: "Number of disabled metrics." }),
    hidden: counterOf({ name: "hidden_metric_total", help: "Number of hidden metrics." }),
    registered: counterOf({
      name: "registered_metric_total",
      help: "Number of metrics of this process, by stability level and the version that deprecated them.",
      labelNames: ["stability_level", "deprecated_version"],
    }),
  };
  return {
    counter: counterOf,
    gauge: (of) => register(of, (allowed) => createGauge(of, allowed)),
    histogram: (of) =>
      register(of, (allowed) => createHistogram({ ...of, buckets: of.buckets ?? defaultBuckets }, allowed)),
    describe: () => [...instruments.values()].map(({ description }) => description).sort(byName),
    render: (names) =>
      shown
        .filter(({ description }) => names?.has(description.name) ?? true)
        .toSorted((a, b) => byName(a.description, b.description))
        .map((instrument) => instrument.render())
        .join(""),
  };
}
