import { walkerFor } from "./compile.ts";
import { type FieldSet, leaf, recursiveDifference } from "./field-set.ts";
import type { FieldTrackerOptions, TrackedObject } from "./field-tracker.ts";
import type { Walker } from "./walker.ts";

/** The changes of a write, in the paths of one version. */
export interface Changes {
  /** Fields that differ or are new. */
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

/**
 * The changes of a write in the paths of any version; computed once per version, when first needed. Each manager's
 * fields are paths of the version that it used, so they must be compared in that version.
 */
export class Comparisons {
  readonly #options: FieldTrackerOptions;
  readonly #before: TrackedObject;
  readonly #after: TrackedObject;
  readonly #reset: FieldSet | undefined;
  readonly #done = new Map<string, Changes | undefined>();
  #own: Changes | undefined;

  constructor(
    options: FieldTrackerOptions,
    before: TrackedObject,
    after: TrackedObject,
    /** Paths whose changes are ignored. */
    reset: FieldSet | undefined,
  ) {
    this.#options = options;
    this.#before = before;
    this.#after = after;
    this.#reset = reset;
  }

  /** The changes in the version of the write. */
  own(): Changes {
    this.#own ??= this.#compare(walkerFor(this.#options.schema), this.#before, this.#after);
    return this.#own;
  }

  /** The changes in another version; undefined when that is unknown. */
  at(apiVersion: string): Changes | undefined {
    if (apiVersion === this.#options.apiVersion) return this.own();
    if (!this.#done.has(apiVersion)) {
      const other = this.#options.version?.(apiVersion);
      const changes =
        other === undefined
          ? undefined
          : this.#compare(walkerFor(other.schema), other.convert(this.#before), other.convert(this.#after));
      this.#done.set(apiVersion, changes);
    }
    return this.#done.get(apiVersion);
  }

  #compare(walker: Walker, before: TrackedObject, after: TrackedObject): Changes {
    const out = { removed: undefined as FieldSet | undefined };
    const changed = walker.compare(before, after, out) ?? leaf;
    const reset = this.#reset;
    return {
      changed: recursiveDifference(changed, reset),
      removed: recursiveDifference(out.removed ?? leaf, reset),
    };
  }
}
