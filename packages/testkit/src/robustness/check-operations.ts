import type { History, Operation } from "./history.ts";
import type { Versions } from "./versions.ts";

/**
 * Checks that reads and writes are linearizable: each key is a register whose versions are ordered by revision, and
 * every response must be that of the register at one moment between request and response. The revisions make the
 * check linear: without them, all orders of concurrent operations would have to be tried. Returns the contradictions.
 */
export function checkOperations({ operations }: History, versions: Versions): readonly string[] {
  return [
    ...checkOrigins(operations, versions),
    ...operations.flatMap((operation) => checkWrite(operation, versions)),
    ...checkOrder(operations),
    ...operations.flatMap((operation) => checkRead(operation, operations, versions)),
  ];
}

/** Every stored version was requested, exactly once, and the request was not rejected. */
function checkOrigins(operations: readonly Operation[], versions: Versions): string[] {
  const writes = new Map<string, Operation>();
  for (const operation of operations) if ("id" in operation.request) writes.set(operation.request.id, operation);
  const contradictions: string[] = [];
  for (const key of versions.keys()) {
    const seen = new Map<string, number>();
    for (const { id, revision } of versions.of(key)) {
      if (id === undefined) continue;
      const write = writes.get(id);
      if (write === undefined) contradictions.push(`${key} at ${revision} holds ${id}, which nobody wrote`);
      else if (write.outcome.type === "refused")
        contradictions.push(`${key} at ${revision} holds ${id}, which was refused`);
      else if (write.outcome.type === "ok" && write.outcome.seen?.revision !== revision)
        contradictions.push(`${key} at ${revision} holds ${id}, acknowledged at ${write.outcome.seen?.revision}`);
      const before = seen.get(id);
      if (before !== undefined) contradictions.push(`${id} was stored twice: ${key} at ${before} and at ${revision}`);
      seen.set(id, revision);
    }
  }
  return contradictions;
}

/** A conditional write that succeeded directly follows the version that it expected. */
function checkWrite({ request, outcome }: Operation, versions: Versions): string[] {
  if (outcome.type !== "ok" || outcome.seen === undefined || request.type === "get") return [];
  const { key, revision } = outcome.seen;
  const before = versions.at(key, revision - 1);
  if (request.type === "create" && before?.id !== undefined && !versions.maybeDeleted(key, before))
    return [`${key} was created at ${revision} although it existed since ${before.revision}`];
  if (request.type === "update" && before !== undefined && before.revision !== request.expected)
    return [`${key} was updated at ${revision} over ${request.expected}, but was at ${before.revision}`];
  return [];
}

/** A write that is acknowledged before another one begins has a lower revision. */
function checkOrder(operations: readonly Operation[]): string[] {
  const contradictions: string[] = [];
  const done = operations
    .filter(({ request, outcome }) => "id" in request && outcome.type === "ok")
    .sort((a, b) => a.endMs - b.endMs);
  const starts = [...done].sort((a, b) => a.startMs - b.startMs);
  let next = 0;
  let acknowledged = 0;
  for (const write of starts) {
    for (let earlier = done[next]; earlier !== undefined && earlier.endMs < write.startMs; earlier = done[++next])
      acknowledged = Math.max(acknowledged, revisionOf(earlier));
    if (revisionOf(write) <= acknowledged)
      contradictions.push(`a write got revision ${revisionOf(write)} after ${acknowledged} had been acknowledged`);
  }
  return contradictions;
}

/** A read returns a state that is not older than anything acknowledged before it began. */
function checkRead(read: Operation, operations: readonly Operation[], versions: Versions): string[] {
  const { request, outcome, startMs, endMs } = read;
  const earlier = operations.filter((other) => other.endMs < startMs);
  if (outcome.type === "listed") {
    const least = Math.max(0, ...earlier.map(revisionOf));
    const contradictions: string[] = [];
    if (outcome.revision < least)
      contradictions.push(`a list at ${outcome.revision} began after ${least} had been acknowledged`);
    const listed = new Map(outcome.items.map((item) => [item.key, item]));
    for (const key of versions.keys()) {
      const now = versions.at(key, outcome.revision);
      const item = listed.get(key);
      if (item !== undefined && now?.revision !== item.revision)
        contradictions.push(
          `a list at ${outcome.revision} has ${key} at ${item.revision}, but it was at ${now?.revision}`,
        );
      if (item === undefined && now?.id !== undefined && !mayBeDeleted(key, endMs, operations))
        contradictions.push(`a list at ${outcome.revision} lacks ${key}, which was at ${now.revision}`);
    }
    return contradictions;
  }
  if (request.type !== "get") return [];
  const least = Math.max(0, ...earlier.map((other) => keyRevisionOf(other, request.key)));
  if (outcome.type === "ok" && outcome.seen !== undefined && outcome.seen.revision < least)
    return [`${request.key} was read at ${outcome.seen.revision} after ${least} had been acknowledged`];
  if (outcome.type !== "notFound" || least === 0 || mayBeDeleted(request.key, endMs, operations)) return [];
  return [`${request.key} was not found after ${least} had been acknowledged, and nobody deleted it`];
}

/** Whether a delete that began before a time may have succeeded. */
function mayBeDeleted(key: string, beforeMs: number, operations: readonly Operation[]): boolean {
  return operations.some(
    ({ request, outcome, startMs }) =>
      request.type === "delete" &&
      request.key === key &&
      startMs < beforeMs &&
      (outcome.type === "ok" || outcome.type === "unknown"),
  );
}

/** The revision that the store has reached according to a response. */
function revisionOf({ outcome }: Operation): number {
  if (outcome.type === "listed") return outcome.revision;
  return outcome.type === "ok" ? (outcome.seen?.revision ?? 0) : 0;
}

/** The revision of one key according to a response; 0 if it does not contain the key. */
function keyRevisionOf({ outcome }: Operation, key: string): number {
  if (outcome.type === "listed") return outcome.items.find((item) => item.key === key)?.revision ?? 0;
  return outcome.type === "ok" && outcome.seen?.key === key ? outcome.seen.revision : 0;
}
