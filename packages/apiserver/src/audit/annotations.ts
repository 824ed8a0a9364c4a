import { type AuditLevel, includesLevel } from "../interfaces/index.ts";

/**
 * Annotations of the audit events of one request: what authentication, authorization, admission and handlers report
 * about it besides its outcome. Keys have the form `domain/name`. The first value of a key stays, so that a later
 * plugin cannot overwrite a record.
 */
export class AuditAnnotations {
  #values: Map<string, string> | undefined;
  #levels: Map<string, AuditLevel> | undefined;

  /** @param level the lowest level of events that get the annotation */
  set(key: string, value: string, level: AuditLevel = "Metadata"): void {
    this.#values ??= new Map();
    if (this.#values.has(key)) return;
    this.#values.set(key, value);
    if (level === "Metadata") return;
    this.#levels ??= new Map();
    this.#levels.set(key, level);
  }

  /** All annotations; undefined if there are none. */
  get values(): ReadonlyMap<string, string> | undefined {
    return this.#values;
  }

  /** The annotations of events of a level; undefined if there are none. */
  at(level: AuditLevel): ReadonlyMap<string, string> | undefined {
    const levels = this.#levels;
    if (this.#values === undefined || levels === undefined) return this.#values;
    return new Map([...this.#values].filter(([key]) => includesLevel(level, levels.get(key) ?? "Metadata")));
  }
}
