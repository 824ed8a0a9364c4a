import type { Entry, Source } from "./source.ts";

/** What is written to etcd at one revision. */
export interface Step {
  readonly revision: number;
  /** Keys that come into being here and get their value at a later step. */
  readonly created: readonly Entry[];
  /** Keys that get their value here. */
  readonly written: readonly Entry[];
}

/**
 * The revisions of a new etcd at which something is to be written so that each key has the revisions that it has in the source;
 * those between them are used up. In the order of revisions.
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

/** One key after the other at new revisions from `after` on, in the order in which they were changed. */
export function planNew({ entries }: Pick<Source, "entries">, after: number): readonly Step[] {
  return entries.map((entry, i) => ({ revision: after + 1 + i, created: [], written: [entry] }));
}
