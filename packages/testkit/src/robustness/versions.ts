import type { History, Seen } from "./history.ts";

/** A version that is known to have been stored. */
export interface Version {
  readonly revision: number;
  /** Undefined if the key was deleted at this revision. */
  readonly id: string | undefined;
}

/**
 * All versions that a client has received, by key and in the order of revisions. A write without a response is missing if no watch or
 * read has returned it.
 */
export class Versions {
  readonly #byKey = new Map<string, Version[]>();
  readonly #contradictions: string[] = [];
  /** Key and revision of versions that a delete with an unknown or successful outcome may have removed. */
  readonly #deletable = new Set<string>();

  constructor(history: History) {
    const owner = new Map<number, string>();
    const known = new Map<string, Map<number, Version>>();
    const add = (seen: Seen, deleted: boolean) => {
      const { key, revision } = seen;
      const other = owner.get(revision);
      if (other !== undefined && other !== key)
        this.#contradictions.push(`revision ${revision} is of ${other} and of ${key}`);
      owner.set(revision, key);
      const versions = known.get(key) ?? new Map<number, Version>();
      known.set(key, versions);
      const version = { revision, id: deleted ? undefined : seen.id };
      const before = versions.get(revision);
      if (before !== undefined && before.id !== version.id)
        this.#contradictions.push(`${key} at revision ${revision} was seen as ${before.id} and as ${version.id}`);
      versions.set(revision, version);
    };
    for (const { request, outcome } of history.operations) {
      if (request.type === "delete" && (outcome.type === "ok" || outcome.type === "unknown"))
        this.#deletable.add(`${request.key}/${request.expected}`);
      if (outcome.type === "ok" && outcome.seen !== undefined) add(outcome.seen, false);
      if (outcome.type === "listed") for (const item of outcome.items) add(item, false);
    }
    for (const { records } of history.sessions)
      for (const record of records) if (record.type !== "BOOKMARK") add(record.seen, record.type === "DELETED");
    for (const [key, versions] of known)
      this.#byKey.set(
        key,
        [...versions.values()].sort((a, b) => a.revision - b.revision),
      );
  }

  /** Contradictions among the versions themselves: one revision of two keys, or of two values. */
  get contradictions(): readonly string[] {
    return this.#contradictions;
  }

  /** All keys of which a version was received. */
  keys(): readonly string[] {
    return [...this.#byKey.keys()];
  }

  /** Versions of a key in the order of revisions. */
  of(key: string): readonly Version[] {
    return this.#byKey.get(key) ?? [];
  }

  /** The latest known version at or before a revision. */
  at(key: string, revision: number): Version | undefined {
    return this.of(key).findLast((version) => version.revision <= revision);
  }

  /** Whether a version may have been deleted without an event that a client received. */
  maybeDeleted(key: string, { revision }: Version): boolean {
    return this.#deletable.has(`${key}/${revision}`);
  }

  /** The versions of all keys with `after` < revision ≤ `upTo`, in order. */
  between(after: number, upTo: number): readonly (Version & { readonly key: string })[] {
    return this.keys()
      .flatMap((key) => this.of(key).map((version) => ({ ...version, key })))
      .filter(({ revision }) => revision > after && revision <= upTo)
      .sort((a, b) => a.revision - b.revision);
  }
}
