/** One key of a store, without its value. */
export interface Entry {
  /** Key as in the API server: under `/registry`. */
  readonly key: string;
  readonly createRevision: number;
  readonly modRevision: number;
  /** Seconds after which it expires; absent means never. */
  readonly ttlSeconds?: number;
}

/** The content of a store at one revision. */
export interface Source {
  /** The name in messages, such as `the embedded store "/var/lib/orch"`. */
  readonly name: string;
  readonly revision: number;
  /** Sorted by modRevision, then by key. */
  readonly entries: readonly Entry[];
  /** Reads a value. @throws StoreError or Error if it cannot be read or has changed */
  value(entry: Entry): Promise<Buffer>;
  /** Resolves if the store still has the content of `revision`; rejects if it has changed. */
  unchanged(): Promise<void>;
  /** Releases the lock or the connection. */
  close(): Promise<void>;
}

/** The folder of all objects, which is transferred. Other keys, such as those of a compaction, belong to the engine. */
export const ROOT = "/registry";

/** Receives the progress of a long operation as a text. */
export type Progress = (line: string) => void;

/** Sorts entries as {@link Source.entries} are sorted, in place. */
export function inOrder(entries: Entry[]): readonly Entry[] {
  return entries.sort((a, b) => a.modRevision - b.modRevision || (a.key < b.key ? -1 : 1));
}

/** The options of {@link compareSources}. */
export interface CompareOptions {
  /** Whether each key must have the same revisions. */
  readonly revisions: boolean;
}

/** Largest number of differences that are listed. */
const LISTED = 10;

/** Compares two contents. Returns one text per key that differs, and none if they are equal. */
export async function compareSources(
  expected: Source,
  actual: Source,
  { revisions }: CompareOptions,
): Promise<string[]> {
  const differences: string[] = [];
  const found = new Map(actual.entries.map((entry) => [entry.key, entry]));
  for (const entry of expected.entries) {
    if (differences.length >= LISTED) return [...differences, "and possibly more"];
    const other = found.get(entry.key);
    found.delete(entry.key);
    if (other === undefined) {
      // A key with a time to live may have expired in the meantime.
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
    if (differences.length >= LISTED) return [...differences, "and possibly more"];
    differences.push(`"${key}" is not in the source`);
  }
  return differences;
}
