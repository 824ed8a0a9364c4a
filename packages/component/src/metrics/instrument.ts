/** What an instrument is called and means. */
export interface InstrumentOptions<L extends string> {
  /** Full name, such as `apiserver_request_total`. */
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly L[];
}

/** One time series of an instrument. */
export interface Series {
  readonly labels: readonly string[];
}

/**
 * The series of an instrument by their label values. Values that an allow-list does not name are reported as `unexpected`,
 * which bounds the number of series.
 */
export class SeriesMap<S> {
  readonly #series = new Map<string, { readonly labels: readonly string[]; readonly state: S }>();
  readonly #make: () => S;
  readonly #arity: number;
  readonly #allowed: readonly (ReadonlySet<string> | undefined)[];

  constructor(make: () => S, allowed: readonly (ReadonlySet<string> | undefined)[]) {
    this.#make = make;
    this.#arity = allowed.length;
    this.#allowed = allowed;
  }

  get(values: readonly string[]): S {
    if (values.length !== this.#arity) {
      throw new Error(`a metric with ${this.#arity} labels was given ${values.length} values: ${values.join(", ")}`);
    }
    const key = values.length === 1 ? (values[0] ?? "") : values.join("\u0000");
    const known = this.#series.get(key);
    if (known !== undefined) return known.state;
    const labels = values.map((value, i) => (this.#allowed[i]?.has(value) === false ? "unexpected" : value));
    const reduced = labels.join("\u0000");
    const entry = this.#series.get(reduced) ?? { labels, state: this.#make() };
    this.#series.set(reduced, entry);
    return entry.state;
  }

  /** Forgets one series, such as that of a deleted object. */
  delete(values: readonly string[]): void {
    this.#series.delete(values.join("\u0000"));
  }

  clear(): void {
    this.#series.clear();
  }

  entries(): Iterable<{ readonly labels: readonly string[]; readonly state: S }> {
    return this.#series.values();
  }
}

const escapeLabel = (value: string) => value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');

/** `{a="x",b="y"}`, or nothing without labels. */
export function labelText(names: readonly string[], values: readonly string[], extra = ""): string {
  const pairs = names.map((name, i) => `${name}="${escapeLabel(values[i] ?? "")}"`);
  if (extra !== "") pairs.push(extra);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

/** A number as the text format writes it. */
export function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  if (value === Number.NEGATIVE_INFINITY) return "-Inf";
  return String(value);
}
