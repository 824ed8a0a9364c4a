import { type Logger, silentLogger } from "@orchernetes/kernel";
import { compacted, isStoreError, StoreError } from "../errors.ts";
import { prefixEnd } from "../keys.ts";
import { watchBySubscription } from "../pulled-watch.ts";
import { asRevision } from "../revision.ts";
import { SharedCall } from "../shared-call.ts";
import type {
  ChangeSink,
  CommitResult,
  Compare,
  ListOptions,
  Op,
  Page,
  Revision,
  Store,
  Subscription,
  Versioned,
  WatchBatch,
  WatchOptions,
} from "../store.ts";
import { Endpoints, isTransient } from "./endpoints.ts";
import { freeSpace } from "./fault.ts";
import { KeySpace } from "./key-space.ts";
import { Leases } from "./leases.ts";
import {
  alarmList,
  compact,
  type KeyValue,
  type RangeRequest,
  type RangeResponse,
  range,
  status,
  type TxnRequest,
  type TxnResponse,
  txn,
} from "./messages.ts";
import { SharedStream } from "./shared-stream.ts";

/** How {@link openEtcdStore} reaches etcd. */
export interface EtcdStoreOptions {
  /** `http://host:port` or `https://host:port`, all of one cluster. */
  readonly servers: readonly string[];
  /** Stands in etcd where `root` stands in keys. @default "" */
  readonly prefix?: string;
  /** The folder of all objects, such as `/registry`; without one the prefix comes before every key. @default "" */
  readonly root?: string;
  /** PEM files, for https servers. */
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  /** How long the first contact may take. @default 20_000 */
  readonly dialTimeoutMs?: number;
  /** How long a call may take. @default 10_000 */
  readonly requestTimeoutMs?: number;
  /** How long keys with the same time to live share a lease. @default 60 */
  readonly leaseReuseSeconds?: number;
  readonly logger?: Logger;
}

/** Keys fetched by one request where the caller set no limit. */
const PAGE = 2000;
const ALARM_NO_SPACE = 1;
const ALARM_CORRUPT = 2;
const LEASE_LOST = /requested lease not found/;
const END_OF_KEYS = Buffer.from([0]);

/**
 * Connects to etcd.
 *
 * @throws StoreError `Unavailable` or `Timeout` when no server answers within `dialTimeoutMs`.
 */
export async function openEtcdStore(options: EtcdStoreOptions): Promise<Store> {
  const endpoints = new Endpoints({ ...options, requestTimeoutMs: options.requestTimeoutMs ?? 10_000 });
  try {
    const after = await latestRevision(endpoints, options.dialTimeoutMs ?? 20_000);
    return new EtcdStore(endpoints, after, options);
  } catch (error) {
    endpoints.close();
    throw error;
  }
}

class EtcdStore implements Store {
  readonly #endpoints: Endpoints;
  readonly #keys: KeySpace;
  readonly #leases: Leases;
  readonly #stream: SharedStream;
  readonly #latest: SharedCall<Revision>;

  constructor(endpoints: Endpoints, after: Revision, options: EtcdStoreOptions) {
    this.#endpoints = endpoints;
    this.#keys = new KeySpace(options.prefix ?? "", options.root ?? "");
    this.#leases = new Leases(endpoints, options.leaseReuseSeconds ?? 60);
    this.#latest = new SharedCall(() => latestRevision(endpoints));
    this.#stream = new SharedStream({
      endpoints,
      keys: this.#keys,
      after,
      latest: () => this.revision(),
      logger: options.logger ?? silentLogger,
    });
  }

  async get(
    key: string,
    { revision = asRevision(0), signal }: { readonly revision?: Revision; readonly signal?: AbortSignal } = {},
  ): Promise<Versioned | undefined> {
    const answer = await this.#range({ key: this.#raw(key), revision }, revision, signal);
    return answer.kvs[0] && this.#versioned(answer.kvs[0]);
  }

  async list(prefix: string, { limit = 0, after, revision, signal }: ListOptions = {}): Promise<Page> {
    const end = Buffer.from(prefixEnd(this.#keys.raw(prefix)) ?? "\0");
    const items: Versioned[] = [];
    let at = revision;
    let from = after !== undefined && after >= prefix ? this.#raw(`${after}\0`) : this.#raw(prefix);
    if (from.length === 0) from = END_OF_KEYS;
    for (;;) {
      const size = limit === 0 ? PAGE : limit;
      const request = { key: from, rangeEnd: end, limit: size, revision: at ?? 0 };
      const answer = await this.#range(request, at, signal);
      at ??= asRevision(answer.revision);
      for (const kv of answer.kvs) items.push(this.#versioned(kv));
      const last = answer.kvs.at(-1);
      if (limit === 0 && answer.more && last !== undefined) {
        from = Buffer.concat([last.key, END_OF_KEYS]);
        continue;
      }
      return { items, revision: at, more: answer.more, remaining: answer.count - answer.kvs.length };
    }
  }

  async commit(compare: readonly Compare[], ops: readonly Op[]): Promise<CommitResult> {
    const answer = await this.#transact(compare, ops);
    const revision = asRevision(answer.revision);
    this.#stream.expect(revision);
    if (answer.succeeded) return { type: "committed", revision };
    return { type: "conflict", revision, current: answer.found.map((kv) => kv && this.#versioned(kv)) };
  }

  watch(prefix: string, options: WatchOptions): AsyncIterable<WatchBatch> {
    return watchBySubscription((after, sink) => this.subscribe(prefix, after, sink), options);
  }

  subscribe(prefix: string, after: Revision, sink: ChangeSink): Subscription {
    return this.#stream.subscribe(prefix, after, sink);
  }

  async revision(): Promise<Revision> {
    const revision = await this.#latest.run();
    this.#stream.expect(revision);
    return revision;
  }

  async compact(revision: Revision): Promise<void> {
    try {
      await this.#endpoints.call(compact, { revision }, { retry: true });
    } catch (error) {
      if (!isStoreError(error, "Compacted")) throw error;
    }
  }

  async count(prefix: string): Promise<number> {
    const raw = this.#keys.raw(prefix);
    const rangeEnd = Buffer.from(prefixEnd(raw) ?? "\0");
    const key = raw === "" ? END_OF_KEYS : Buffer.from(raw);
    return (await this.#range({ key, rangeEnd, countOnly: true }, undefined)).count;
  }

  async health(signal: AbortSignal): Promise<void> {
    await this.#endpoints.call(range, { key: this.#raw("health"), keysOnly: true }, { signal, retry: true });
  }

  async writable(signal: AbortSignal): Promise<void> {
    const { alarms } = await this.#endpoints.call(alarmList, undefined, { signal, retry: true });
    for (const { type, member } of alarms) {
      const at = `member ${member.toString(16)}`;
      if (type === ALARM_NO_SPACE)
        throw new StoreError("NoSpace", `etcd: alarm NOSPACE raised by ${at}: it accepts no writes; ${freeSpace}`);
      if (type === ALARM_CORRUPT) throw new StoreError("Corrupt", `etcd: alarm CORRUPT raised by ${at}`);
    }
  }

  async sizeBytes(): Promise<number | undefined> {
    try {
      return (await this.#endpoints.call(status, undefined, { retry: true })).dbSize;
    } catch (error) {
      if (isTransient(error)) return undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#stream.close();
    this.#endpoints.close();
  }

  async #range(request: RangeRequest, revision: Revision | undefined, signal?: AbortSignal): Promise<RangeResponse> {
    try {
      return await this.#endpoints.call(range, request, { signal, retry: true });
    } catch (error) {
      if (isStoreError(error, "Compacted")) throw compacted(revision ?? 0, undefined);
      throw error;
    }
  }

  async #transact(compare: readonly Compare[], ops: readonly Op[]): Promise<TxnResponse> {
    const request = {
      compare: compare.map(({ key, modRevision }) => ({ key: this.#raw(key), modRevision })),
      success: await this.#writes(ops),
      failure: compare.map(({ key }) => this.#raw(key)),
    };
    try {
      return await this.#endpoints.call(txn, request, { retry: false });
    } catch (error) {
      if (!(error instanceof StoreError) || !LEASE_LOST.test(error.message)) throw error;
      // Someone revoked the lease that was to be shared, or it ran out under a stalled process: nothing was written.
      for (const op of ops) if (op.type === "put" && op.ttlSeconds !== undefined) this.#leases.forget(op.ttlSeconds);
      return await this.#endpoints.call(txn, { ...request, success: await this.#writes(ops) }, { retry: false });
    }
  }

  async #writes(ops: readonly Op[]): Promise<TxnRequest["success"]> {
    const writes: TxnRequest["success"][number][] = [];
    for (const op of ops) {
      const key = this.#raw(op.key);
      if (op.type === "delete") writes.push({ key });
      else if (!op.ttlSeconds) writes.push({ key, value: op.value });
      else writes.push({ key, value: op.value, lease: await this.#leases.lease(op.ttlSeconds) });
    }
    return writes;
  }

  #raw(key: string): Buffer {
    return Buffer.from(this.#keys.raw(key));
  }

  #versioned(kv: KeyValue): Versioned {
    const raw = kv.key.toString("utf8");
    return {
      key: this.#keys.key(raw) ?? raw,
      value: kv.value,
      modRevision: asRevision(kv.modRevision),
      createRevision: asRevision(kv.createRevision),
    };
  }
}

/** A linearizable read of the store's revision. */
async function latestRevision(endpoints: Endpoints, timeoutMs?: number): Promise<Revision> {
  const request = { key: END_OF_KEYS, keysOnly: true };
  const answer = await endpoints.call(
    range,
    request,
    timeoutMs === undefined ? { retry: true } : { retry: true, timeoutMs },
  );
  const { revision } = answer;
  if (revision < 1) throw new StoreError("Corrupt", `etcd: answered with revision ${revision}`);
  return asRevision(revision);
}
