import { type InstrumentOptions, labelText, numberText, SeriesMap, type Stability } from "./instrument.ts";

/** A count that only increases. */
export interface Counter {
  /** Adds to the series with these label values, in the order of the names. */
  inc(labels?: readonly string[], by?: number): void;
  /** The series itself, for hot paths that always increase the same one. */
  with(...labels: readonly string[]): { inc(by?: number): void };
  /** Removes a series. */
  remove(labels: readonly string[]): void;
}

/** A value that can increase and decrease. */
export interface Gauge {
  set(value: number, labels?: readonly string[]): void;
  inc(labels?: readonly string[], by?: number): void;
  dec(labels?: readonly string[], by?: number): void;
  /** Removes a series. */
  remove(labels: readonly string[]): void;
  /** Removes all series. */
  reset(): void;
}

/** A distribution in cumulative buckets. */
export interface Histogram {
  observe(value: number, labels?: readonly string[]): void;
  /** The series itself, for hot paths. A value can be counted with a weight, such as the nanoseconds it lasted. */
  with(...labels: readonly string[]): { observe(value: number, weight?: number): void };
  /** Removes a series. */
  remove(labels: readonly string[]): void;
}

/** The description of a metric. */
export interface MetricDescription {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly labels: readonly string[];
  readonly stability: Stability | "none";
  readonly deprecated: string | undefined;
  /** Upper bounds of a histogram, without +Inf. */
  readonly buckets: readonly number[] | undefined;
}

/** Something that writes its lines of the metrics page; none while it has no series. */
export interface Collected {
  readonly description: MetricDescription;
  render(): string;
}

type Allowed = readonly (ReadonlySet<string> | undefined)[];

function describe(
  of: InstrumentOptions<string>,
  type: MetricDescription["type"],
  buckets?: readonly number[],
): MetricDescription {
  const { name, labelNames = [], stability = "ALPHA", deprecated } = of;
  return { name, type, labels: labelNames, stability, deprecated, buckets };
}

/** The lines before an instrument's series: its help with its stability, and the version that deprecated it. */
function header(options: InstrumentOptions<string>, type: string): string {
  const { name, help, stability = "ALPHA", deprecated } = options;
  const level = stability === "none" ? "" : `[${stability}] `;
  const since = deprecated === undefined ? "" : `(Deprecated since ${deprecated}) `;
  const text = `${level}${since}${help}`.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  return `# HELP ${name} ${text}\n# TYPE ${name} ${type}\n`;
}

/** A counter and its rendering. */
export function createCounter(options: InstrumentOptions<string>, allowed: Allowed): Counter & Collected {
  const names = options.labelNames ?? [];
  const series = new SeriesMap(() => ({ value: 0 }), names, allowed);
  return {
    description: describe(options, "counter"),
    inc(labels = [], by = 1) {
      series.get(labels).value += by;
    },
    with(...labels) {
      const state = series.get(labels);
      return {
        inc: (by = 1) => {
          state.value += by;
        },
      };
    },
    remove: (labels) => series.delete(labels),
    render() {
      if (series.empty) return "";
      let text = header(options, "counter");
      for (const { text: pairs, state } of series.entries()) {
        text += `${options.name}${labelText(pairs)} ${numberText(state.value)}\n`;
      }
      return text;
    },
  };
}

/** The options of a gauge, in addition to name and help. */
export interface GaugeOptions<L extends string> extends InstrumentOptions<L> {
  /** Sets values just before they are read. */
  readonly collect?: (gauge: Gauge) => void;
  /** Its type on the page; `"counter"` for counts that are kept elsewhere. @default "gauge" */
  readonly type?: "gauge" | "counter";
}

/** A gauge and its rendering. */
export function createGauge(options: GaugeOptions<string>, allowed: Allowed): Gauge & Collected {
  const names = options.labelNames ?? [];
  // A gauge that is read on demand may have no value.
  const series = new SeriesMap(() => ({ value: 0 }), names, allowed, options.collect === undefined);
  const gauge: Gauge = {
    set(value, labels = []) {
      series.get(labels).value = value;
    },
    inc(labels = [], by = 1) {
      series.get(labels).value += by;
    },
    dec(labels = [], by = 1) {
      series.get(labels).value -= by;
    },
    remove: (labels) => series.delete(labels),
    reset: () => series.clear(),
  };
  return {
    ...gauge,
    description: describe(options, options.type ?? "gauge"),
    render() {
      options.collect?.(gauge);
      if (series.empty) return "";
      let text = header(options, options.type ?? "gauge");
      for (const { text: pairs, state } of series.entries()) {
        text += `${options.name}${labelText(pairs)} ${numberText(state.value)}\n`;
      }
      return text;
    },
  };
}

/** One series of a histogram. Most values that are observed often are small, so the buckets are searched from the first one. */
class HistogramSeries {
  readonly counts: Float64Array;
  sum = 0;
  readonly #bounds: Float64Array;

  constructor(bounds: Float64Array) {
    this.#bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number, weight = 1): void {
    let bucket = 0;
    while (value > (this.#bounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + weight;
    this.sum += value * weight;
  }
}

/** A histogram and its rendering; `buckets` are ascending upper bounds without +Inf. */
export function createHistogram(
  options: InstrumentOptions<string> & { readonly buckets: readonly number[] },
  allowed: Allowed,
): Histogram & Collected {
  const names = options.labelNames ?? [];
  const bounds = Float64Array.from(options.buckets);
  const series = new SeriesMap(() => new HistogramSeries(bounds), names, allowed);
  const edges = [...options.buckets, Number.POSITIVE_INFINITY].map((bound) => `le="${numberText(bound)}"`);
  return {
    description: describe(options, "histogram", options.buckets),
    observe: (value, labels = []) => series.get(labels).observe(value),
    with: (...labels) => series.get(labels),
    remove: (labels) => series.delete(labels),
    render() {
      if (series.empty) return "";
      let text = header(options, "histogram");
      for (const { text: pairs, state } of series.entries()) {
        let total = 0;
        state.counts.forEach((count, i) => {
          total += count;
          text += `${options.name}_bucket${labelText(pairs, edges[i])} ${total}\n`;
        });
        text += `${options.name}_sum${labelText(pairs)} ${numberText(state.sum)}\n`;
        text += `${options.name}_count${labelText(pairs)} ${total}\n`;
      }
      return text;
    },
  };
}
