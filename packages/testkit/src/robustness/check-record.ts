import type { History, Operation, Seen, StoredVersion, WatchSession } from "./history.ts";

/**
 * Compares what clients observed with the record of the store, if there is one. The record also contains writes
 * without a response whose events no client received. Returns the contradictions.
 */
export function checkRecord({ operations, sessions, record }: History): readonly string[] {
  if (record === undefined) return [];
  const known = new Map(record.map((version) => [version.revision, version]));
  return [
    ...operations.flatMap((operation) => checkOperation(operation, record, known)),
    ...sessions.flatMap((session) => checkSession(session, record, known)),
  ];
}

function checkOperation(
  { outcome }: Operation,
  record: readonly StoredVersion[],
  known: ReadonlyMap<number, StoredVersion>,
): string[] {
  if (outcome.type === "ok" && outcome.seen !== undefined) return checkSeen("an answer", outcome.seen, false, known);
  if (outcome.type !== "listed") return [];
  const contradictions: string[] = [];
  const listed = new Map(outcome.items.map(({ key, revision }) => [key, revision]));
  for (const [key, revision] of stateAt(outcome.revision, record)) {
    if (listed.get(key) !== revision)
      contradictions.push(`a list at ${outcome.revision} has ${key} at ${listed.get(key)}, the store at ${revision}`);
    listed.delete(key);
  }
  for (const [key, revision] of listed)
    contradictions.push(`a list at ${outcome.revision} has ${key} at ${revision}, the store does not`);
  return contradictions;
}

function checkSession(
  { client, after, records }: WatchSession,
  record: readonly StoredVersion[],
  known: ReadonlyMap<number, StoredVersion>,
): string[] {
  const contradictions: string[] = [];
  const delivered = new Set<number>();
  let position = after;
  for (const event of records) {
    const revision = event.type === "BOOKMARK" ? event.revision : event.seen.revision;
    position = Math.max(position, revision);
    if (event.type === "BOOKMARK") continue;
    delivered.add(revision);
    contradictions.push(...checkSeen(`watch ${client}`, event.seen, event.type === "DELETED", known));
  }
  for (const { key, revision } of record)
    if (revision > after && revision <= position && !delivered.has(revision))
      contradictions.push(
        `watch ${client} from ${after}: ${key} at ${revision} is in the store and was never delivered`,
      );
  return contradictions;
}

function checkSeen(
  who: string,
  { key, revision }: Seen,
  deleted: boolean,
  known: ReadonlyMap<number, StoredVersion>,
): string[] {
  const stored = known.get(revision);
  if (stored?.key === key && stored.deleted === deleted) return [];
  const there = stored === undefined ? "nothing of the kind" : `${stored.key}${stored.deleted ? ", deleted" : ""}`;
  return [`${who} has ${key}${deleted ? ", deleted" : ""} at ${revision}; the store has ${there}`];
}

/** The revision of each key that exists at a revision. */
function stateAt(revision: number, record: readonly StoredVersion[]): ReadonlyMap<string, number> {
  const state = new Map<string, number>();
  for (const version of record) {
    if (version.revision > revision) break;
    if (version.deleted) state.delete(version.key);
    else state.set(version.key, version.revision);
  }
  return state;
}
