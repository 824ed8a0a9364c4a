/**
 * Annotations of the audit events of one request: what authentication, authorization, admission and handlers have to say about it
 * beside its outcome. Keys have the form `domain/name`. The first value of a key stays.
 */
export class AuditAnnotations {
  #values: Map<string, string> | undefined;

  set(key: string, value: string): void {
    this.#values ??= new Map();
    if (!this.#values.has(key)) this.#values.set(key, value);
  }

  /** All annotations; undefined if there are none. */
  get values(): ReadonlyMap<string, string> | undefined {
    return this.#values;
  }
}
