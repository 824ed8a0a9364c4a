/** One key of a store, without its value. */
export interface Entry {
  /** As the API server names it: under `/registry`. */
  readonly key: string;
  readonly createRevision: number;
  readonly modRevision: number;
  /** The time that it still has to live; absent: for ever. */
  readonly ttlSeconds?: number;
}

/** The content of a store at one revision. */
export interface Source {
  /** For messages, such as `the embedded store "/var/lib/orch"`. */
  readonly name: string;
  readonly revision: number;
  /** In the order of modRevision, and of keys within one. */
  readonly entries: readonly Entry[];
  /** @throws StoreError or Error when the value can't be read, or has changed since */
  value(entry: Entry): Promise<Buffer>;
  /** Resolves if the store still has the content of `revision`; rejects if it has changed. */
  unchanged(): Promise<void>;
  close(): Promise<void>;
}

/** The folder of all objects: what is transferred. */
export const ROOT = "/registry";

/** Says how far a long operation is. */
export type Progress = (line: string) => void;

/** Entries in the order of {@link Source.entries}. */
export function inOrder(entries: Entry[]): readonly Entry[] {
  return entries.sort((a, b) => a.modRevision - b.modRevision || (a.key < b.key ? -1 : 1));
}

/** What {@link compareSources} compares besides keys and values. */
export interface CompareOptions {
  /** Whether each key must have the same revisions. */
  readonly revisions: boolean;
}

/** Differences that are listed at most. */
const LISTED = 10;

/** How the content of `actual` differs from that of `expected`, one line a key; empty if it does not. */
export async function compareSources(
  expected: Source,
  actual: Source,
  { revisions }: CompareOptions,
): Promise<string[]> {
  const differences: string[] = [];
  const found = new Map(actual.entries.map((entry) => [entry.key, entry]));
  for (const entry of expected.entries) {
    if (differences.length >= LISTED) return [...differences, "and perhaps more"];
    const other = found.get(entry.key);
    found.delete(entry.key);
    if (other === undefined) {
      // A key whose time is over may have gone meanwhile.
      if (entry.ttlSeconds === undefined) differences.push(`"${entry.key}" is missing`);
      continue;
    }
    const sameRevisions = entry.modRevision === other.modRevision && entry.createRevision === other.createRevision;
    if (revisions && !sameRevisions)
      differences.push(
        `"${entry.key}" was created at ${other.createRevision} and changed at ${other.modRevision}, not at ${entry.createRevision} and ${entry.modRevision}`,
      );
    else if (!(await expected.value(entry)).equals(await actual.value(other)))
      differences.push(`"${entry.key}" has another value`);
  }
  for (const key of found.keys()) {
    if (differences.length >= LISTED) return [...differences, "and perhaps more"];
    differences.push(`"${key}" is there and should not be`);
  }
  return differences;
}
