/** Maximum length of the value of an audit annotation, in bytes. Longer values are truncated. */
const maxValueBytes = 10 * 1024;

/** The audit annotations of a policy. Bindings with different parameters may compute different values of the same key. */
export class Annotations {
  readonly #values = new Map<string, Set<string>>();

  /** Adds a value. Equal values of several bindings are added once. */
  add(key: string, value: string): void {
    const bytes = Buffer.from(value);
    const kept = bytes.length > maxValueBytes ? bytes.subarray(0, maxValueBytes).toString() : value;
    const values = this.#values.get(key) ?? new Set();
    this.#values.set(key, values.add(kept));
  }

  publish(policy: string, annotate: (key: string, value: string) => void): void {
    for (const [key, values] of this.#values) annotate(`${policy}/${key}`, [...values].join(", "));
  }
}
