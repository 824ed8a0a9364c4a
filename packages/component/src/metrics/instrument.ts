/** The stability of an instrument's name, type and labels; shown before its help text. */
export type Stability = "STABLE" | "BETA" | "ALPHA";

/** The name and meaning of an instrument. */
export interface InstrumentOptions<L extends string> {
  /** Full name, such as `apiserver_request_total`. */
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly L[];
  /** `"none"`: metrics of the runtime, which have no level. @default "ALPHA" */
  readonly stability?: Stability | "none";
  /** Version that deprecated it, such as `1.27.0`; it is hidden from the next minor version on. */
  readonly deprecated?: string;
}

interface SeriesEntry<S> {
  readonly labels: readonly string[];
  readonly state: S;
  /** The text of the labels, without braces. */
  readonly text: string;
}

/**
 * The series of an instrument by their label values. Values that an allow-list does not contain are reported as
 * `unexpected`, which limits the number of series. An instrument without labels has its only series from the start.
 */
export class SeriesMap<S> {
  readonly #series = new Map<string, SeriesEntry<S>>();
  readonly #make: () => S;
  readonly #names: readonly string[];
  readonly #allowed: readonly (ReadonlySet<string> | undefined)[];
  /** The series that was looked up last: many in a row are the same one, and comparing values is cheaper than joining them. */
  #last: { readonly values: readonly string[]; readonly state: S } | undefined;

  constructor(
    make: () => S,
    names: readonly string[],
    allowed: readonly (ReadonlySet<string> | undefined)[],
    present = true,
  ) {
    this.#make = make;
    this.#names = names;
    this.#allowed = allowed;
    if (names.length === 0 && present) this.get([]);
  }

  get(values: readonly string[]): S {
    const arity = this.#names.length;
    if (values.length !== arity) {
      throw new Error(`a metric with ${arity} labels was given ${values.length} values: ${values.join(", ")}`);
    }
    const last = this.#last;
    if (last !== undefined && isSame(last.values, values)) return last.state;
    const state = this.#find(values);
    this.#last = { values: [...values], state };
    return state;
  }

  #find(values: readonly string[]): S {
    const key = values.length === 1 ? (values[0] ?? "") : values.join("\u0000");
    const known = this.#series.get(key);
    if (known !== undefined) return known.state;
    const labels = values.map((value, i) => (this.#allowed[i]?.has(value) === false ? "unexpected" : value));
    const reduced = labels.join("\u0000");
    let entry = this.#series.get(reduced);
    if (entry === undefined) {
      entry = { labels, state: this.#make(), text: labelPairs(this.#names, labels) };
      this.#series.set(reduced, entry);
    }
    return entry.state;
  }

  /** Removes one series, such as that of a deleted object. */
  delete(values: readonly string[]): void {
    this.#last = undefined;
    this.#series.delete(values.join("\u0000"));
  }

  clear(): void {
    this.#last = undefined;
    this.#series.clear();
  }

  get empty(): boolean {
    return this.#series.size === 0;
  }

  entries(): Iterable<SeriesEntry<S>> {
    return this.#series.values();
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

const needsEscape = /[\\\n"]/;
const escapeLabel = (value: string) =>
  needsEscape.test(value) ? value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"') : value;

/** `a="x",b="y"`. */
function labelPairs(names: readonly string[], values: readonly string[]): string {
  return names.map((name, i) => `${name}="${escapeLabel(values[i] ?? "")}"`).join(",");
}

/** `{a="x",b="y"}` of formatted pairs and one more; "" without labels. */
export function labelText(pairs: string, extra = ""): string {
  if (pairs === "") return extra === "" ? "" : `{${extra}}`;
  return extra === "" ? `{${pairs}}` : `{${pairs},${extra}}`;
}

/** A number in the text format. */
export function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  if (value === Number.NEGATIVE_INFINITY) return "-Inf";
  return String(value);
}
