import type { History, WatchSession } from "./history.ts";
import type { Versions } from "./versions.ts";

/**
 * Checks that every watch delivered each change once, in order and without gaps across its reconnections, with correct bookmarks and
 * event types. Returns the contradictions.
 */
export function checkWatches({ sessions }: History, versions: Versions): readonly string[] {
  return sessions.flatMap((session) => checkSession(session, versions));
}

function checkSession({ client, after, records }: WatchSession, versions: Versions): string[] {
  const contradictions: string[] = [];
  const of = `watch ${client} from ${after}`;
  const delivered = new Set<number>();
  let position = after;
  let bookmark = after;
  for (const record of records) {
    if (record.type === "BOOKMARK") {
      if (record.revision < position) contradictions.push(`${of}: bookmark ${record.revision} after ${position}`);
      bookmark = Math.max(bookmark, record.revision);
      position = Math.max(position, record.revision);
      continue;
    }
    const { key, revision } = record.seen;
    // The three cases are one mistake each: an event sent again after a reconnection, one that a bookmark had
    // promised to be the past, and two that overtook each other.
    if (delivered.has(revision)) contradictions.push(`${of}: ${key} at ${revision} was delivered twice`);
    else if (revision <= bookmark)
      contradictions.push(`${of}: ${key} at ${revision} was delivered after bookmark ${bookmark}`);
    else if (revision <= position) contradictions.push(`${of}: ${key} at ${revision} was delivered after ${position}`);
    delivered.add(revision);
    position = Math.max(position, revision);
    const before = versions.at(key, revision - 1);
    const existed = before?.id !== undefined;
    if (record.type === "ADDED" && existed && !versions.maybeDeleted(key, before))
      contradictions.push(`${of}: ADDED ${key} at ${revision}, which existed`);
    if (record.type === "MODIFIED" && !existed)
      contradictions.push(`${of}: MODIFIED ${key} at ${revision}, which did not exist`);
  }
  for (const { key, revision } of versions.between(after, position))
    if (!delivered.has(revision))
      contradictions.push(`${of}: ${key} at ${revision} was never delivered, though ${position} did`);
  return contradictions;
}
