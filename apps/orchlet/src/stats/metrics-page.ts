/** A family of metrics: its help and type. */
export type Family = readonly [help: string, type: "counter" | "gauge"];

/** Collects samples of families, and writes them as a page in the text format of Prometheus. */
export class MetricsPage<Name extends string> {
  readonly #families: Readonly<Record<Name, Family>>;
  readonly #lines = new Map<Name, string[]>();

  /** @param families in the order in which they are written */
  constructor(families: Readonly<Record<Name, Family>>) {
    this.#families = families;
  }

  /**
   * Adds a sample; none for an undefined value.
   *
   * @param labels sorted by name, see {@link labelText}
   * @param timeMs when it was measured, in milliseconds since the epoch
   */
  add(family: Name, labels: string, value: number | undefined, timeMs?: number): void {
    if (value === undefined) return;
    const line = `${family}${labels === "" ? "" : `{${labels}}`} ${value}${timeMs === undefined ? "" : ` ${Math.round(timeMs)}`}`;
    const lines = this.#lines.get(family);
    if (lines === undefined) this.#lines.set(family, [line]);
    else lines.push(line);
  }

  text(): string {
    const parts: string[] = [];
    for (const [family, [help, type]] of Object.entries<Family>(this.#families)) {
      const lines = this.#lines.get(family as Name);
      if (lines !== undefined) parts.push(`# HELP ${family} ${help}`, `# TYPE ${family} ${type}`, ...lines);
    }
    return parts.length === 0 ? "" : `${parts.join("\n")}\n`;
  }
}

/**
 * Labels in the order of their names. Backslashes, quotes and line ends are escaped, and nothing else: names in labels of the runtime
 * may be anything.
 */
export const labelText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (found) => (found === "\n" ? "\\n" : `\\${found}`))}"`,
    )
    .join();
