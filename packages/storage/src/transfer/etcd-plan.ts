import type { Entry, Source } from "./source.ts";

/** The writes to etcd at one revision. */
export interface Step {
  readonly revision: number;
  /** Keys that are created by this step and get their value by a later one. */
  readonly created: readonly Entry[];
  /** Keys that get their value by this step. */
  readonly written: readonly Entry[];
}

/**
 * Plans the writes to a new etcd so that each key gets the revisions that it has in the source. etcd assigns
 * revisions itself, one for each transaction, so the revisions between two steps must be consumed by other writes.
 * Sorted by revision.
 */
export function planExact({ entries }: Pick<Source, "entries">): readonly Step[] {
  const created = new Map<number, Entry[]>();
  const written = new Map<number, Entry[]>();
  const add = (steps: Map<number, Entry[]>, revision: number, entry: Entry) => {
    const step = steps.get(revision);
    if (step === undefined) steps.set(revision, [entry]);
    else step.push(entry);
  };
  for (const entry of entries) {
    if (entry.createRevision !== entry.modRevision) add(created, entry.createRevision, entry);
    add(written, entry.modRevision, entry);
  }
  const revisions = [...new Set([...created.keys(), ...written.keys()])].sort((a, b) => a - b);
  return revisions.map((revision) => ({
    revision,
    created: created.get(revision) ?? [],
    written: written.get(revision) ?? [],
  }));
}

/** Plans one write per key, at new revisions after `after`, in the order of their last changes in the source. */
export function planNew({ entries }: Pick<Source, "entries">, after: number): readonly Step[] {
  return entries.map((entry, i) => ({ revision: after + 1 + i, created: [], written: [entry] }));
}
