import { type InstrumentOptions, labelText, numberText, SeriesMap } from "./instrument.ts";

/** A count that only grows. */
export interface Counter {
  /** Adds to the series with these label values, in the order of the names. */
  inc(labels?: readonly string[], by?: number): void;
  /** The series itself, for hot paths that count the same one again and again. */
  with(...labels: readonly string[]): { inc(by?: number): void };
}

/** A value that goes up and down. */
export interface Gauge {
  set(value: number, labels?: readonly string[]): void;
  inc(labels?: readonly string[], by?: number): void;
  dec(labels?: readonly string[], by?: number): void;
  /** Forgets a series. */
  remove(labels: readonly string[]): void;
  /** Forgets all series. */
  reset(): void;
}

/** A distribution in cumulative buckets. */
export interface Histogram {
  observe(value: number, labels?: readonly string[]): void;
  /** The series itself, for hot paths. */
  with(...labels: readonly string[]): { observe(value: number): void };
}

/** Something that can write its lines of the metrics page. */
export interface Collected {
  readonly name: string;
  render(): string;
}

type Allowed = readonly (ReadonlySet<string> | undefined)[];

const header = ({ name, help }: InstrumentOptions<string>, type: string) =>
  `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n# TYPE ${name} ${type}\n`;

/** A counter and its rendering. */
export function createCounter(options: InstrumentOptions<string>, allowed: Allowed): Counter & Collected {
  const names = options.labelNames ?? [];
  const series = new SeriesMap(() => ({ value: 0 }), allowed);
  return {
    name: options.name,
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
    render() {
      let text = header(options, "counter");
      for (const { labels, state } of series.entries()) {
        text += `${options.name}${labelText(names, labels)} ${numberText(state.value)}\n`;
      }
      return text;
    },
  };
}

/** What a gauge has beside name and help. */
export interface GaugeOptions<L extends string> extends InstrumentOptions<L> {
  /** Sets values just before they are read. */
  readonly collect?: (gauge: Gauge) => void;
  /** How the page declares it; `"counter"` for counts that are kept elsewhere. @default "gauge" */
  readonly type?: "gauge" | "counter";
}

/** A gauge and its rendering. */
export function createGauge(options: GaugeOptions<string>, allowed: Allowed): Gauge & Collected {
  const names = options.labelNames ?? [];
  const series = new SeriesMap(() => ({ value: 0 }), allowed);
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
    name: options.name,
    render() {
      options.collect?.(gauge);
      let text = header(options, options.type ?? "gauge");
      for (const { labels, state } of series.entries()) {
        text += `${options.name}${labelText(names, labels)} ${numberText(state.value)}\n`;
      }
      return text;
    },
  };
}

/** A histogram and its rendering; `buckets` are ascending upper bounds without +Inf. */
export function createHistogram(
  options: InstrumentOptions<string> & { readonly buckets: readonly number[] },
  allowed: Allowed,
): Histogram & Collected {
  const names = options.labelNames ?? [];
  const bounds = Float64Array.from(options.buckets);
  const series = new SeriesMap(() => ({ counts: new Float64Array(bounds.length + 1), sum: 0 }), allowed);
  const observe = (state: { readonly counts: Float64Array; sum: number }, value: number) => {
    let low = 0;
    let high = bounds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (value <= (bounds[middle] ?? 0)) high = middle;
      else low = middle + 1;
    }
    state.counts[low] = (state.counts[low] ?? 0) + 1;
    state.sum += value;
  };
  return {
    name: options.name,
    observe: (value, labels = []) => observe(series.get(labels), value),
    with(...labels) {
      const state = series.get(labels);
      return { observe: (value) => observe(state, value) };
    },
    render() {
      let text = header(options, "histogram");
      for (const { labels, state } of series.entries()) {
        let total = 0;
        state.counts.forEach((count, i) => {
          total += count;
          const le = `le="${numberText(bounds[i] ?? Number.POSITIVE_INFINITY)}"`;
          text += `${options.name}_bucket${labelText(names, labels, le)} ${total}\n`;
        });
        text += `${options.name}_sum${labelText(names, labels)} ${numberText(state.sum)}\n`;
        text += `${options.name}_count${labelText(names, labels)} ${total}\n`;
      }
      return text;
    },
  };
}
