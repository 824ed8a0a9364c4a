import { createHash } from "node:crypto";
import { Range } from "etcd3/lib/range.js";
import type { IRequestOp } from "etcd3/lib/rpc.js";
import { StoreError } from "../errors.ts";
import { KeySpace } from "../etcd/key-space.ts";
import type { EtcdCallOptions, EtcdTransport } from "../etcd/transport.ts";
import { unfinishedMark } from "../etcd/unfinished-mark.ts";
import { planExact, planNew, type Step } from "./etcd-plan.ts";
import { type EtcdPlace, etcdSource } from "./etcd-source.ts";
import { compareSources, type Entry, type Progress, ROOT, type Source } from "./source.ts";

/** Calls under way while revisions are used up. */
const AT_ONCE = 128;
/** Used-up revisions after which history is compacted, so that they take no room. */
const COMPACT_EVERY = 50_000;
const PROGRESS_EVERY_MS = 2000;
/** How much longer than their keys leases live at first: nothing may expire before all is written. */
const LEASE_MARGIN_SECONDS = 3600;
/** What etcd takes in one transaction, unless its `--max-txn-ops` says otherwise; one is for the mark. */
const MOST_OPERATIONS = 127;
const RETRY: EtcdCallOptions = { retry: true };

/** How {@link writeEtcd} writes. */
export interface EtcdTargetOptions extends EtcdPlace {
  /** Whether keys under the prefix may be deleted first. */
  readonly overwrite: boolean;
  /** Whether keys may get other revisions than they have in the source. */
  readonly newRevisions: boolean;
  readonly progress: Progress;
}

/**
 * Writes the content of `source` into etcd, which is one revision further than the source afterwards, or, with `newRevisions`, at
 * least two; history before that is compacted. A run that was interrupted is continued by the next one with the same source.
 *
 * @throws StoreError `Unavailable` if etcd has keys under the prefix, cannot give keys their revisions, or is written by others;
 * `Corrupt` if the verification finds a difference
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
    throw new StoreError("Corrupt", `what was written differs from ${source.name}: ${differences.join("; ")}`);
}

class EtcdWriter {
  /** The latest revision of etcd. */
  revision = 0;
  readonly #source: Source;
  readonly #options: EtcdTargetOptions;
  readonly #transport: EtcdTransport;
  readonly #keys: KeySpace;
  readonly #range: Range;
  /** Its value says of which source the content is. */
  readonly #mark: Buffer;
  readonly #id: string;
  readonly #leases = new Map<number, string>();
  #saidMs = 0;
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

  /** Sees to it that etcd has nothing under the prefix but what an earlier run with this source has written. */
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
        `etcd has ${count} keys under "${prefix}"${what}; use one that is empty, or --overwrite to delete them`,
      );
    }
    const first = Math.min(...this.#source.entries.map(({ createRevision }) => createRevision), this.#source.revision);
    const deletes = count === "0" ? 0 : 1;
    if (!newRevisions && this.revision + deletes >= first)
      throw new StoreError(
        "Unavailable",
        `keys cannot keep their revisions: etcd is at ${this.revision} already, and the first one is ${first}; use a new etcd, or --new-revisions`,
      );
    if (deletes > 0) {
      const { header } = await this.#transport.kv.deleteRange({ key: this.#range.start, range_end: this.#range.end });
      this.revision = Number(header.revision);
    }
  }

  async write(): Promise<void> {
    const { newRevisions } = this.#options;
    // One more is for the mark, which comes first.
    const steps = newRevisions ? planNew(this.#source, this.revision + 1) : planExact(this.#source);
    const before = newRevisions
      ? Math.max(this.revision + 1 + steps.length, this.#source.revision + 1)
      : this.#source.revision;
    for (const step of steps) {
      if (step.revision <= this.revision) continue;
      await this.#raiseTo(step.revision - 1, before);
      await this.#carryOut(step);
    }
    await this.#raiseTo(before, before);
    // At a revision of its own: etcd serves watches from the revision that it is compacted at, but not what was deleted there.
    const { header } = await this.#transport.kv.deleteRange({ key: this.#mark });
    this.#advance(before + 1, Number(header.revision));
  }

  /** Uses revisions up, all that are before `revision` and itself. */
  async #raiseTo(revision: number, last: number): Promise<void> {
    while (this.revision < revision) {
      const many = Math.min(AT_ONCE, revision - this.revision);
      const value = Buffer.from(this.#id);
      const answers = await Promise.all(
        Array.from({ length: many }, () => this.#transport.kv.put({ key: this.#mark, value })),
      );
      this.#advance(this.revision + many, Math.max(...answers.map(({ header }) => Number(header.revision))));
      this.#say(last);
      if (this.revision - this.#compacted < COMPACT_EVERY) continue;
      this.#compacted = this.revision;
      await this.#transport.kv.compact({ revision: this.revision }, RETRY);
    }
  }

  async #carryOut({ revision, created, written }: Step): Promise<void> {
    const success: IRequestOp[] = [{ request_put: { key: this.#mark, value: Buffer.from(this.#id) } }];
    if (created.length + written.length > MOST_OPERATIONS)
      throw new StoreError(
        "TooLarge",
        `${created.length + written.length} keys were changed at revision ${revision}, and etcd takes ${MOST_OPERATIONS} in one transaction: use --new-revisions`,
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

  #advance(expected: number, revision: number): void {
    if (revision !== expected)
      throw new StoreError(
        "Unavailable",
        `etcd is at revision ${revision} where ${expected} was expected: something else writes to it, or keys expire; stop it and begin with an empty etcd`,
      );
    this.revision = revision;
  }

  /** Keys with about the same time to live share a lease. */
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

  #say(last: number): void {
    const now = Date.now();
    if (now - this.#saidMs < PROGRESS_EVERY_MS) return;
    this.#saidMs = now;
    this.#options.progress(`at revision ${this.revision} of ${last}`);
  }
}
