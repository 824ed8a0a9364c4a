import { createHash } from "node:crypto";
import { Range } from "etcd3/lib/range.js";
import type { IRequestOp } from "etcd3/lib/rpc.js";
import { StoreError } from "../errors.ts";
import { KeySpace, unfinishedMark } from "../etcd/key-space.ts";
import type { EtcdCallOptions, EtcdTransport } from "../etcd/transport.ts";
import { planExact, planNew, type Step } from "./etcd-plan.ts";
import { type EtcdPlace, etcdSource } from "./etcd-source.ts";
import { compareSources, type Entry, type Progress, ROOT, type Source } from "./source.ts";

/** Calls in flight while revisions are consumed. */
const CONCURRENCY = 128;
/** Consumed revisions after which the history is compacted, so that they take no space. */
const COMPACT_EVERY = 50_000;
const PROGRESS_EVERY_MS = 2000;
/** Seconds by which leases live longer than their keys at first, because no key may expire before all are written. */
const LEASE_MARGIN_SECONDS = 3600;
/** etcd's default of `--max-txn-ops` is 128 operations in a transaction; one of them is for the mark. */
const MAX_OPERATIONS = 127;
const RETRY: EtcdCallOptions = { retry: true };

/** The options of {@link writeEtcd}. */
export interface EtcdTargetOptions extends EtcdPlace {
  /** Whether keys under the prefix may be deleted first. */
  readonly overwrite: boolean;
  /** Whether keys may get revisions other than those of the source. */
  readonly newRevisions: boolean;
  readonly progress: Progress;
}

/**
 * Writes the content of `source` to etcd. Afterwards etcd's revision is one after that of the source, or at least two
 * with `newRevisions`, and its earlier history is compacted. Clients that watch by resourceVersion can therefore
 * resume, or learn by a 410 to list again. The next run with the same source continues an interrupted one.
 *
 * @throws StoreError `Unavailable` if etcd has keys under the prefix, cannot give keys their revisions, or is written
 *   by others; `Corrupt` if the verification finds a difference
 */
export async function writeEtcd(source: Source, options: EtcdTargetOptions): Promise<void> {
  const { transport, newRevisions } = options;
  const writer = new EtcdWriter(source, options);
  await writer.prepare();
  await writer.write();
  await source.unchanged();
  await transport.kv.compact({ revision: writer.revision }, RETRY);
  const written = await etcdSource(options);
  const differences = await compareSources(source, written, { revisions: !newRevisions });
  if (differences.length > 0)
    throw new StoreError("Corrupt", `the written content differs from ${source.name}: ${differences.join("; ")}`);
}

class EtcdWriter {
  /** The latest revision of etcd. */
  revision = 0;
  readonly #source: Source;
  readonly #options: EtcdTargetOptions;
  readonly #transport: EtcdTransport;
  readonly #keys: KeySpace;
  readonly #range: Range;
  /** The key that exists until the content is complete; its value identifies the source. */
  readonly #mark: Buffer;
  readonly #id: string;
  readonly #leases = new Map<number, string>();
  #reportedMs = 0;
  #compacted = 0;

  constructor(source: Source, options: EtcdTargetOptions) {
    this.#source = source;
    this.#options = options;
    this.#transport = options.transport;
    this.#keys = new KeySpace(options.prefix, ROOT);
    this.#mark = unfinishedMark(options.prefix);
    this.#range = Range.prefix(`${options.prefix}/`);
    const hash = createHash("sha256");
    for (const { key, createRevision, modRevision } of source.entries)
      hash.update(`${key}\0${createRevision} ${modRevision}\n`);
    this.#id = `${options.newRevisions ? "new" : "exact"} ${source.revision} ${hash.digest("hex")}`;
  }

  /** Ensures that etcd has no keys under the prefix except those that an earlier run with this source has written. */
  async prepare(): Promise<void> {
    const { overwrite, prefix, newRevisions } = this.#options;
    const mark = await this.#transport.kv.range({ key: this.#mark }, RETRY);
    this.revision = Number(mark.header.revision);
    const unfinished = mark.kvs[0]?.value.toString("utf8");
    if (unfinished === this.#id && !newRevisions) {
      this.#options.progress(`continues after revision ${this.revision}, where an earlier run was interrupted`);
      return;
    }
    const { count } = await this.#transport.kv.range(
      { key: this.#range.start, range_end: this.#range.end, count_only: true },
      RETRY,
    );
    if (count !== "0" && !overwrite && unfinished !== this.#id) {
      const what = unfinished === undefined ? "" : " of a migration from another source that was interrupted";
      throw new StoreError(
        "Unavailable",
        `etcd has ${count} keys under "${prefix}"${what}; use an empty one, or delete the keys by --overwrite`,
      );
    }
    const first = Math.min(...this.#source.entries.map(({ createRevision }) => createRevision), this.#source.revision);
    const deletes = count === "0" ? 0 : 1;
    if (!newRevisions && this.revision + deletes >= first)
      throw new StoreError(
        "Unavailable",
        `keys cannot keep their revisions: etcd is already at revision ${this.revision}, and the first one of the keys is ${first}; use a new etcd, or --new-revisions`,
      );
    if (deletes > 0) {
      const { header } = await this.#transport.kv.deleteRange({ key: this.#range.start, range_end: this.#range.end });
      this.revision = Number(header.revision);
    }
  }

  /** Writes all keys at their revisions, and removes the mark. */
  async write(): Promise<void> {
    const { newRevisions } = this.#options;
    // The mark is written first and takes one revision.
    const steps = newRevisions ? planNew(this.#source, this.revision + 1) : planExact(this.#source);
    const before = newRevisions
      ? Math.max(this.revision + 1 + steps.length, this.#source.revision + 1)
      : this.#source.revision;
    for (const step of steps) {
      if (step.revision <= this.revision) continue;
      await this.#raiseTo(step.revision - 1, before);
      await this.#execute(step);
    }
    await this.#raiseTo(before, before);
    // At a separate revision: etcd serves watches from the revision at which it is compacted, but without the deletes
    // of that revision.
    const { header } = await this.#transport.kv.deleteRange({ key: this.#mark });
    this.#advance(before + 1, Number(header.revision));
  }

  /** Consumes all revisions up to and including `revision`, by writes of the mark. */
  async #raiseTo(revision: number, last: number): Promise<void> {
    while (this.revision < revision) {
      const many = Math.min(CONCURRENCY, revision - this.revision);
      const value = Buffer.from(this.#id);
      const responses = await Promise.all(
        Array.from({ length: many }, () => this.#transport.kv.put({ key: this.#mark, value })),
      );
      this.#advance(this.revision + many, Math.max(...responses.map(({ header }) => Number(header.revision))));
      this.#reportProgress(last);
      if (this.revision - this.#compacted < COMPACT_EVERY) continue;
      this.#compacted = this.revision;
      await this.#transport.kv.compact({ revision: this.revision }, RETRY);
    }
  }

  async #execute({ revision, created, written }: Step): Promise<void> {
    const success: IRequestOp[] = [{ request_put: { key: this.#mark, value: Buffer.from(this.#id) } }];
    if (created.length + written.length > MAX_OPERATIONS)
      throw new StoreError(
        "TooLarge",
        `${created.length + written.length} keys were changed at revision ${revision}, and etcd accepts ${MAX_OPERATIONS} in one transaction: use --new-revisions`,
      );
    for (const { key } of created) success.push({ request_put: { key: this.#raw(key), value: Buffer.alloc(0) } });
    for (const entry of written) {
      const put = { key: this.#raw(entry.key), value: await this.#source.value(entry) };
      const lease = entry.ttlSeconds === undefined ? {} : { lease: await this.#lease(entry.ttlSeconds) };
      success.push({ request_put: { ...put, ...lease } });
    }
    const { header } = await this.#transport.kv.txn({ success });
    this.#advance(revision, Number(header.revision));
  }

  /** Checks that etcd is at the expected revision: a write by another program would shift all following ones. */
  #advance(expected: number, revision: number): void {
    if (revision !== expected)
      throw new StoreError(
        "Unavailable",
        `etcd is at revision ${revision} where ${expected} was expected: another program writes to it, or keys expire; stop that program and start with an empty etcd`,
      );
    this.revision = revision;
  }

  /** A lease for a key. Keys with about the same time to live share one. */
  async #lease(ttlSeconds: number): Promise<string> {
    const minutes = Math.ceil(ttlSeconds / 60);
    let lease = this.#leases.get(minutes);
    if (lease === undefined) {
      lease = (await this.#transport.lease.leaseGrant({ TTL: minutes * 60 + LEASE_MARGIN_SECONDS })).ID;
      this.#leases.set(minutes, lease);
    }
    return lease;
  }

  #raw(key: Entry["key"]): Buffer {
    return Buffer.from(this.#keys.raw(key));
  }

  #reportProgress(last: number): void {
    const now = Date.now();
    if (now - this.#reportedMs < PROGRESS_EVERY_MS) return;
    this.#reportedMs = now;
    this.#options.progress(`at revision ${this.revision} of ${last}`);
  }
}
