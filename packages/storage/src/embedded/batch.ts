import { asRevision } from "../revision.ts";
import type { Change, CommitResult, Compare, Op, Versioned } from "../store.ts";
import { markBytes, type Tables } from "./database.ts";
import {
  expiryKey,
  type Pointer,
  type Position,
  pointerBytes,
  positionKey,
  readPointer,
  readRecord,
  recordSize,
  writeRecord,
} from "./record.ts";
import { Writes } from "./writes.ts";

/**
 * Keys of the log are appended in ascending order. With this option lmdb fills pages instead of splitting them in
 * half.
 */
const APPEND = { append: true } as const;
const NONE: Position = { revision: 0, index: 0 };

/** The state of a key after the commits of this batch that have been applied so far. */
interface Pending {
  readonly pointer: Pointer;
  /** Undefined for a tombstone. */
  readonly value: Buffer | undefined;
}

/**
 * The commits of one transaction. Conditions are checked against the tables and the earlier commits of the batch. Writes are queued
 * for lmdb's writer thread, which applies all or none of them; until then reads of the tables do not see them.
 */
export class Batch {
  readonly changes: Change[] = [];
  /** The latest revision after the commits applied so far. */
  revision: number;
  readonly #tables: Tables;
  readonly #nowMs: number;
  readonly #pending = new Map<string, Pending>();
  #writes: Writes | undefined;

  constructor(tables: Tables, revision: number, nowMs: number) {
    this.#tables = tables;
    this.revision = revision;
    this.#nowMs = nowMs;
  }

  /**
   * Applies a commit at the next revision, or returns the conflict.
   *
   * @param ops each key at most once
   */
  apply(compare: readonly Compare[], ops: readonly Op[]): CommitResult {
    for (const { key, modRevision } of compare) {
      if ((this.#pointer(key)?.revision ?? 0) !== modRevision) return this.#conflict(compare);
    }
    const revision = this.revision + 1;
    let index = 0;
    for (const op of ops) {
      const before = this.#pointer(op.key);
      // As in etcd, deleting what does not exist changes nothing and takes no revision.
      if (op.type === "delete" && before === undefined) continue;
      this.#put(op, { revision, index, createRevision: before?.createRevision ?? revision }, before);
      index++;
    }
    if (index > 0) this.revision = revision;
    return { type: "committed", revision: asRevision(this.revision) };
  }

  /** Removes a row of the table `ttl`: its key has expired or was written again. */
  forgetExpiry(row: Buffer): void {
    this.#queued(this.#tables.ttl.remove(row));
  }

  /** Resolves when all commits are on disk; rejects with an error of lmdb if none of them is. */
  async durable(): Promise<void> {
    if (this.#writes === undefined) return;
    this.#writes.add(this.#tables.meta.put("revision", markBytes(this.revision)));
    await this.#writes.durable();
  }

  #put(op: Op, pointer: Pointer, before: Pointer | undefined): void {
    const { log, live, dead, ttl } = this.#tables;
    const previous = before ?? this.#tombstone(op.key) ?? NONE;
    const value = op.type === "put" ? op.value : new Uint8Array();
    const keyBytes = Buffer.byteLength(op.key);
    const bytes = Buffer.allocUnsafe(recordSize(keyBytes, value.length));
    const { key, type } = op;
    const stored = writeRecord(bytes, { type, previous, createRevision: pointer.createRevision, key, value }, keyBytes);
    const position = positionKey(pointer);
    this.#queued(log.put(position, bytes, APPEND));
    if (op.type === "delete") {
      this.#queued(live.remove(key));
      this.#queued(dead.put(key, pointerBytes(pointer)));
      this.#pending.set(key, { pointer, value: undefined });
      this.changes.push({ type: "delete", key, revision: asRevision(pointer.revision) });
      return;
    }
    if (before === undefined && previous.revision > 0) this.#queued(dead.remove(key));
    if (op.ttlSeconds !== undefined && op.ttlSeconds > 0) {
      this.#queued(ttl.put(expiryKey(this.#nowMs + op.ttlSeconds * 1000, key), position));
    }
    this.#queued(live.put(key, pointerBytes(pointer)));
    this.#pending.set(key, { pointer, value: stored });
    const created = before === undefined;
    this.changes.push({ type: "put", key, value: stored, revision: asRevision(pointer.revision), created });
  }

  #queued(written: Promise<unknown>): void {
    this.#writes ??= new Writes(this.#tables.root);
    this.#writes.add(written);
  }

  /** Position of the latest version of a key; undefined if the key does not exist. */
  #pointer(key: string): Pointer | undefined {
    const pending = this.#pending.get(key);
    if (pending !== undefined) return pending.value === undefined ? undefined : pending.pointer;
    const bytes = this.#tables.live.getBinary(key);
    return bytes === undefined ? undefined : readPointer(bytes);
  }

  /**
   * Position of the last delete of a key that does not exist; undefined if there was none, or it is compacted. The
   * new version points to it, so that the chain of versions has no gap.
   */
  #tombstone(key: string): Position | undefined {
    const pending = this.#pending.get(key);
    if (pending !== undefined) return pending.pointer;
    const bytes = this.#tables.dead.getBinary(key);
    return bytes === undefined ? undefined : readPointer(bytes);
  }

  #conflict(compare: readonly Compare[]): CommitResult {
    const current = compare.map(({ key }) => this.#current(key));
    return { type: "conflict", revision: asRevision(this.revision), current };
  }

  #current(key: string): Versioned | undefined {
    const pointer = this.#pointer(key);
    if (pointer === undefined) return undefined;
    const value = this.#pending.get(key)?.value ?? this.#stored(pointer);
    if (value === undefined) return undefined;
    const { revision, createRevision } = pointer;
    return { key, value, modRevision: asRevision(revision), createRevision: asRevision(createRevision) };
  }

  #stored(pointer: Pointer): Buffer | undefined {
    const bytes = this.#tables.log.getBinary(positionKey(pointer));
    return bytes === undefined ? undefined : readRecord(bytes).value;
  }
}
