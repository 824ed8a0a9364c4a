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
} from "./instruments.ts";

/** Upper bounds, in seconds, for the latency of ordinary calls. */
export const defaultBuckets: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** `start, start·factor, …`, `count` bounds in all. */
export const exponentialBuckets = (start: number, factor: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => start * factor ** i);

/** Content type of the metrics page. */
export const metricsContentType = "text/plain; version=0.0.4; charset=utf-8";

/** What may be measured, from the flags. */
export interface MetricsOptions {
  /** `--disabled-metrics`: names that are neither collected nor shown. */
  readonly disabled?: readonly string[];
  /** `--allow-metric-labels`: `metric,label` to `value,value`. */
  readonly allowLabels?: ReadonlyMap<string, string>;
}

/** The metrics of one process. Passed in with the options of whatever measures; there is no global registry. */
export interface Metrics {
  counter<const L extends string>(options: InstrumentOptions<L>): Counter;
  gauge<const L extends string>(options: GaugeOptions<L>): Gauge;
  /** Buckets default to {@link defaultBuckets}. */
  histogram<const L extends string>(
    options: InstrumentOptions<L> & { readonly buckets?: readonly number[] },
  ): Histogram;
  /** The metrics page in the Prometheus text format. */
  render(): string;
}

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

/**
 * Makes an empty registry. Series live in plain maps keyed by their label values: counting costs one map look-up, and nothing
 * for a series taken by `with()`. Asking for a name again answers the instrument that has it.
 */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  const disabled = new Set(options.disabled);
  const registered = new Map<string, Collected>();
  const allowedFor = (name: string, labelNames: readonly string[]) =>
    labelNames.map((label) => {
      const values = options.allowLabels?.get(`${name},${label}`);
      return values === undefined ? undefined : new Set(values.split(","));
    });
  const register = <I extends Collected>(
    of: InstrumentOptions<string>,
    make: (allowed: ReturnType<typeof allowedFor>) => I,
  ): I => {
    if (!metricName.test(of.name)) throw new Error(`"${of.name}" is not a metric name: want ${metricName.source}`);
    const known = registered.get(of.name);
    if (known !== undefined) return known as I;
    const instrument = make(allowedFor(of.name, of.labelNames ?? []));
    // A disabled instrument can be used like any other; it is never rendered.
    if (!disabled.has(of.name)) registered.set(of.name, instrument);
    return instrument;
  };
  return {
    counter: (of) => register(of, (allowed) => createCounter(of, allowed)),
    gauge: (of) => register(of, (allowed) => createGauge(of, allowed)),
    histogram: (of) =>
      register(of, (allowed) => createHistogram({ ...of, buckets: of.buckets ?? defaultBuckets }, allowed)),
    render: () =>
      [...registered.values()]
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map((instrument) => instrument.render())
        .join(""),
  };
}
