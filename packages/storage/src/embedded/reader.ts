import { prefixEnd } from "../keys.ts";
import { asRevision, type Revision } from "../revision.ts";
import type { Change, Page, Versioned } from "../store.ts";
import { fitsKey } from "./check-commit.ts";
import type { Tables } from "./database.ts";
import type { History } from "./history.ts";
import { type Pointer, positionKey, readPointer, readPosition, readRecord } from "./record.ts";

/** A page at an older revision has no `remaining` if more keys than this would have to be read to count them. */
const MAX_COUNTED = 20_000;
/** Largest number of keys that are counted in one turn of the event loop. */
const COUNTED_PER_STEP = 10_000;

/** Characters that fit into a key whatever they are: each has at most three bytes. */
const LONGEST_START = 600;

/** A part of a list that is read in one turn of the event loop. */
export interface Step {
  readonly items: Versioned[];
  /** Whether the range may hold more. */
  readonly more: boolean;
}

/** A part of the log that is read in one turn of the event loop. */
export interface LogStep {
  readonly changes: Change[];
  /** Every change of the prefix up to this revision is in `changes` or was in an earlier step. */
  readonly revision: Revision;
}

/** Reads the tables at a revision. Every method is synchronous and sees one snapshot. */
export class Reader {
  readonly #tables: Tables;
  readonly #history: History;

  constructor(tables: Tables, history: History) {
    this.#tables = tables;
    this.#history = history;
  }

  /** The version of `key` at `revision`, which must be readable. */
  get(key: string, revision: Revision): Versioned | undefined {
    if (!fitsKey(key)) return undefined;
    const live = this.#tables.live.getBinary(key);
    if (live !== undefined) return this.#versionAt(key, readPointer(live), revision);
    if (this.#latestOnly(revision)) return undefined;
    const dead = this.#tables.dead.getBinary(key);
    return dead === undefined ? undefined : this.#versionAt(key, readPointer(dead), revision);
  }

  /** Up to `limit` items of the prefix after the key `after`, in key order, at `revision`. */
  step(prefix: string, after: string | undefined, limit: number, revision: Revision): Step {
    const items: Versioned[] = [];
    if (!fitsKey(prefix)) return { items, more: false };
    for (const [key, pointer] of this.#pointers(prefix, after, revision)) {
      const version = this.#versionAt(key, pointer, revision);
      if (version === undefined) continue;
      if (items.length === limit) return { items, more: true };
      items.push(version);
    }
    return { items, more: false };
  }

  /**
   * Number of keys of the prefix that follow `after` at `revision`; undefined if counting them would be expensive.
   *
   * @param keys number of live keys in that range
   */
  count(prefix: string, after: string | undefined, revision: Revision, keys: number): number | undefined {
    if (this.#latestOnly(revision)) return keys;
    if (keys > MAX_COUNTED) return undefined;
    let count = 0;
    for (const [key, pointer] of this.#pointers(prefix, after, revision)) {
      // A live key has existed since its creation: for most keys the log need not be read.
      if (pointer.createRevision <= revision && pointer.createRevision > 0) count++;
      else if (this.#versionAt(key, pointer, revision) !== undefined) count++;
    }
    return count;
  }

  /**
   * Counts live keys of the prefix that follow `after`: all of them, or the number of one step, which ends at `last`.
   */
  countStep(prefix: string, after: string | undefined): { readonly keys: number; readonly last: string | undefined } {
    const bounds = range(prefix, after);
    for (const last of this.#tables.live.getKeys({ ...bounds, offset: COUNTED_PER_STEP - 1, limit: 1 }))
      return { keys: COUNTED_PER_STEP, last };
    return { keys: this.#tables.live.getKeysCount(bounds), last: undefined };
  }

  /**
   * The changes of the prefix in (after, upTo]: at least those of one revision, and at most about `limit` log
   * records. A revision is never split.
   */
  changes(prefix: string, after: Revision, upTo: Revision, limit: number): LogStep {
    const changes: Change[] = [];
    let read = 0;
    let revision = after;
    const start = positionKey({ revision: after + 1, index: 0 });
    for (const { key, value } of this.#tables.log.getRange({ start })) {
      const position = readPosition(key);
      if (position.revision > upTo) break;
      if (position.revision !== revision) {
        if (read >= limit) return { changes, revision };
        revision = asRevision(position.revision);
      }
      read++;
      const record = readRecord(value);
      if (record.key.startsWith(prefix)) changes.push(toChange(record, revision));
    }
    return { changes, revision: upTo };
  }

  /** Live keys, and dead ones that may have existed at `revision`, in key order. */
  *#pointers(prefix: string, after: string | undefined, revision: Revision): Generator<[string, Pointer]> {
    const bounds = range(prefix, after);
    if (this.#latestOnly(revision)) {
      for (const { key, value } of this.#tables.live.getRange(bounds)) yield [key, readPointer(value)];
      return;
    }
    const dead = this.#deletedAfter(bounds, revision);
    try {
      let next = dead.next();
      for (const { key, value } of this.#tables.live.getRange(bounds)) {
        for (; !next.done && next.value[0] < key; next = dead.next()) yield next.value;
        yield [key, readPointer(value)];
      }
      for (; !next.done; next = dead.next()) yield next.value;
    } finally {
      // A caller that leaves the loop early must not leave a cursor open.
      dead.return(undefined);
    }
  }

  /** Keys that were deleted after a revision, and so may have existed at it. */
  *#deletedAfter(bounds: ReturnType<typeof range>, revision: Revision): Generator<[string, Pointer], undefined> {
    for (const { key, value } of this.#tables.dead.getRange(bounds)) {
      const pointer = readPointer(value);
      // createRevision 0 makes count() read the log: a tombstone does not say when the key was created.
      if (pointer.revision > revision) yield [key, { ...pointer, createRevision: 0 }];
    }
  }

  /** Whether the tables contain nothing newer than `revision`, so that `live` alone is sufficient. */
  #latestOnly(revision: Revision): boolean {
    return revision === this.#history.current && !this.#history.writing;
  }

  /** Follows the chain of versions from `pointer` back to the latest one that is not after `revision`. */
  #versionAt(key: string, pointer: Pointer, revision: Revision): Versioned | undefined {
    let position: { readonly revision: number; readonly index: number } = pointer;
    for (;;) {
      const bytes = this.#tables.log.getBinary(positionKey(position));
      // The compactor has deleted the versions that no readable revision needs.
      if (bytes === undefined) return undefined;
      const record = readRecord(bytes);
      if (position.revision <= revision) {
        if (record.type === "delete") return undefined;
        return {
          key,
          value: record.value,
          modRevision: asRevision(position.revision),
          createRevision: asRevision(record.createRevision),
        };
      }
      if (record.previous.revision === 0) return undefined;
      position = record.previous;
    }
  }
}

/** A page with `remaining` only if it is known. */
export function pageOf(items: Versioned[], revision: Revision, more: boolean, remaining: number | undefined): Page {
  return remaining === undefined ? { items, revision, more } : { items, revision, more, remaining };
}

function toChange(record: ReturnType<typeof readRecord>, revision: Revision): Change {
  if (record.type === "delete") return { type: "delete", key: record.key, revision };
  const created = record.createRevision === revision;
  return { type: "put", key: record.key, value: record.value, revision, created };
}

function range(prefix: string, after: string | undefined) {
  const end = prefixEnd(prefix);
  const inside = after !== undefined && after >= prefix;
  // Pages end at existing keys. Only a forged continue token contains a longer one, for which any start is valid.
  const startAfter = (place: string) => (fitsKey(place) ? place : place.slice(0, LONGEST_START));
  return {
    ...(inside ? { start: startAfter(after), exclusiveStart: true } : prefix === "" ? {} : { start: prefix }),
    ...(end === undefined ? {} : { end }),
  };
}
