/** Longest value of an audit annotation, in bytes; the rest is cut off. */
const maxValueBytes = 10 * 1024;

/** The audit annotations of one policy: bindings with other parameters may compute other values of one key. */
export class Annotations {
  readonly #values = new Map<string, Set<string>>();

  /** Adds a value; the same one of several bindings counts once. */
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
