import { type Dialer, type Logger, silentLogger } from "@orchernetes/kernel";
import { EtcdLeaseInvalidError } from "etcd3/lib/errors.js";
import { Range } from "etcd3/lib/range.js";
import {
  CompareResult,
  CompareTarget,
  type IKeyValue,
  type IRangeRequest,
  type IRangeResponse,
  type IRequestOp,
  type IResponseHeader,
  type ITxnRequest,
  type ITxnResponse,
} from "etcd3/lib/rpc.js";
import { compacted, isStoreError, StoreError } from "../errors.ts";
import { watchBySubscription } from "../pulled-watch.ts";
import { asRevision, type Revision } from "../revision.ts";
import { SharedCall } from "../shared-call.ts";
import type {
  ChangeSink,
  CommitResult,
  Compare,
  ListOptions,
  Op,
  Page,
  Store,
  Subscription,
  Versioned,
  WatchBatch,
  WatchOptions,
} from "../store.ts";
import { CommitGroups, folderOf, type GroupableCommit } from "./commit-groups.ts";
import { isTransient } from "./endpoints.ts";
import type { Connect } from "./http2/connection.ts";
import { KeySpace, unfinishedMark } from "./key-space.ts";
import { Leases } from "./leases.ts";
import { SharedStream } from "./shared-stream.ts";
import { freeSpace } from "./store-error.ts";
import { type EtcdCallOptions, EtcdTransport } from "./transport.ts";

/** The options of {@link openEtcdStore}. */
export interface EtcdStoreOptions {
  /** `http://host:port` or `https://host:port`, all of one cluster. */
  readonly servers: readonly string[];
  /** Prefix of the keys in etcd, in place of `root`. @default "" */
  readonly prefix?: string;
  /** The folder of all objects, such as `/registry`; without one the prefix is put before every key. @default "" */
  readonly root?: string;
  /** PEM files, for https servers. */
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  /** Time limit of the first call in milliseconds. @default 20_000 */
  readonly dialTimeoutMs?: number;
  /** Time limit of a call in milliseconds. @default 10_000 */
  readonly requestTimeoutMs?: number;
  /**
   * Seconds for which new keys with the same time to live share a lease: every Event has one, and a lease for each
   * would be expensive. @default 60
   */
  readonly leaseReuseSeconds?: number;
  /** Opens the connections, such as through a proxy; TLS with the server runs inside them. @default directly */
  readonly dial?: Dialer | undefined;
  /** Creates the HTTP/2 connections. @default the lean one of ADR 11 */
  readonly connect?: Connect;
  readonly logger?: Logger;
}

/**
 * Keys per request when the caller sets no limit: one response for a large collection would hold up etcd and exceed
 * message limits.
 */
const PAGE = 2000;
const RETRY: EtcdCallOptions = { retry: true };
/** The key that sorts before all others; appended to a key, it makes the next one. */
const LOWEST_KEY = Buffer.from([0]);

/**
 * Connects to etcd.
 *
 * @throws StoreError `Unavailable` or `Timeout` when no server responds within `dialTimeoutMs`, `Corrupt` for the
 *   rest of an interrupted migration
 */
export async function openEtcdStore(options: EtcdStoreOptions): Promise<Store> {
  const transport = new EtcdTransport({ ...options, requestTimeoutMs: options.requestTimeoutMs ?? 10_000 });
  try {
    const after = await firstContact(transport, options);
    return new EtcdStore(transport, after, options);
  } catch (error) {
    transport.close();
    throw error;
  }
}

class EtcdStore implements Store {
  readonly #transport: EtcdTransport;
  readonly #keys: KeySpace;
  readonly #leases: Leases;
  readonly #groups: CommitGroups;
  readonly #stream: SharedStream;
  readonly #latest: SharedCall<Revision>;

  constructor(transport: EtcdTransport, after: Revision, options: EtcdStoreOptions) {
    this.#transport = transport;
    this.#keys = new KeySpace(options.prefix ?? "", options.root ?? "");
    this.#leases = new Leases(transport, options.leaseReuseSeconds ?? 60);
    this.#groups = new CommitGroups({
      send: (request) => transport.kv.txn(request),
      sent: () => transport.flush(),
    });
    this.#latest = new SharedCall(() => latestRevision(transport));
    this.#stream = new SharedStream({
      transport,
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
    const response = await this.#range({ key: this.#raw(key), revision }, revision, signal);
    return response.kvs[0] && this.#versioned(response.kvs[0]);
  }

  async list(prefix: string, { limit = 0, after, revision, signal }: ListOptions = {}): Promise<Page> {
    const { start, end } = Range.prefix(this.#keys.raw(prefix));
    const items: Versioned[] = [];
    let at = revision;
    let from = after !== undefined && after >= prefix ? this.#raw(`${after}\0`) : start;
    for (;;) {
      const size = limit === 0 ? PAGE : limit;
      const request = { key: from, range_end: end, limit: size, revision: at ?? 0 };
      const response = await this.#range(request, at, signal);
      at ??= revisionOf(response);
      for (const kv of response.kvs) items.push(this.#versioned(kv));
      const last = response.kvs.at(-1);
      if (limit === 0 && response.more && last !== undefined) {
        from = Buffer.concat([last.key, LOWEST_KEY]);
        continue;
      }
      return { items, revision: at, more: response.more, remaining: Number(response.count) - response.kvs.length };
    }
  }

  async commit(compare: readonly Compare[], ops: readonly Op[]): Promise<CommitResult> {
    const response = await this.#transact(compare, ops);
    const revision = revisionOf(response);
    this.#stream.expect(revision);
    if (response.succeeded) return { type: "committed", revision };
    const found = response.responses.map(({ response_range }) => response_range.kvs[0]);
    return { type: "conflict", revision, current: found.map((kv) => kv && this.#versioned(kv)) };
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
      await this.#transport.kv.compact({ revision }, RETRY);
    } catch (error) {
      if (!isStoreError(error, "Compacted")) throw error;
    }
  }

  async count(prefix: string): Promise<number> {
    const { start, end } = Range.prefix(this.#keys.raw(prefix));
    return Number((await this.#range({ key: start, range_end: end, count_only: true }, undefined)).count);
  }

  async health(signal: AbortSignal): Promise<void> {
    const options: EtcdCallOptions = { signal, retry: true };
    await this.#transport.kv.range({ key: this.#raw("health"), keys_only: true }, options);
  }

  async writable(signal: AbortSignal): Promise<void> {
    const options: EtcdCallOptions = { signal, retry: true };
    const { alarms } = await this.#transport.maintenance.alarm({}, options);
    for (const { alarm, memberID } of alarms) {
      const at = `member ${BigInt(memberID).toString(16)}`;
      if (alarm === "Nospace")
        throw new StoreError("NoSpace", `etcd: alarm NOSPACE raised by ${at}: it accepts no writes; ${freeSpace}`);
      if (alarm === "Corrupt") throw new StoreError("Corrupt", `etcd: alarm CORRUPT raised by ${at}`);
    }
  }

  async sizeBytes(): Promise<number | undefined> {
    try {
      return Number((await this.#transport.maintenance.status(RETRY)).dbSize);
    } catch (error) {
      if (isTransient(error)) return undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#stream.close();
    this.#transport.close();
  }

  async #range(request: IRangeRequest, revision: Revision | undefined, signal?: AbortSignal): Promise<IRangeResponse> {
    const options: EtcdCallOptions = { signal, retry: true };
    try {
      return await this.#transport.kv.range(request, options);
    } catch (error) {
      if (isStoreError(error, "Compacted")) throw compacted(revision ?? 0, undefined);
      throw error;
    }
  }

  /**
   * Writes if the conditions hold, and reads the compared keys otherwise. It is never retried on another server: the
   * first one may have applied it.
   */
  async #transact(compare: readonly Compare[], ops: readonly Op[]): Promise<ITxnResponse> {
    const request: ITxnRequest = {
      compare: compare.map(({ key, modRevision }) => ({
        key: this.#raw(key),
        result: CompareResult.Equal,
        target: CompareTarget.Mod,
        mod_revision: modRevision,
      })),
      success: await this.#writes(ops),
      failure: compare.map(({ key }) => ({ request_range: { key: this.#raw(key) } })),
    };
    try {
      return await this.#groups.commit({ request, ...extentOf(compare, ops) });
    } catch (error) {
      if (!(error instanceof StoreError && error.cause instanceof EtcdLeaseInvalidError)) throw error;
      // The shared lease was revoked by another client, or expired while this process stalled: nothing was written.
      for (const op of ops) if (op.type === "put" && op.ttlSeconds !== undefined) this.#leases.forget(op.ttlSeconds);
      return await this.#transport.kv.txn({ ...request, success: await this.#writes(ops) });
    }
  }

  async #writes(ops: readonly Op[]): Promise<IRequestOp[]> {
    const writes: IRequestOp[] = [];
    for (const op of ops) {
      const key = this.#raw(op.key);
      if (op.type === "delete") {
        writes.push({ request_delete_range: { key } });
        continue;
      }
      const { buffer, byteOffset, length } = op.value;
      const put = { key, value: Buffer.isBuffer(op.value) ? op.value : Buffer.from(buffer, byteOffset, length) };
      if (!op.ttlSeconds) writes.push({ request_put: put });
      else writes.push({ request_put: { ...put, lease: await this.#leases.lease(op.ttlSeconds) } });
    }
    return writes;
  }

  #raw(key: string): Buffer {
    return Buffer.from(this.#keys.raw(key));
  }

  #versioned(kv: IKeyValue): Versioned {
    const raw = kv.key.toString("utf8");
    return {
      key: this.#keys.key(raw) ?? raw,
      value: kv.value,
      modRevision: asRevision(Number(kv.mod_revision)),
      createRevision: asRevision(Number(kv.create_revision)),
    };
  }
}

/** What decides how a commit is grouped. */
function extentOf(compare: readonly Compare[], ops: readonly Op[]): Omit<GroupableCommit, "request"> {
  let bytes = 0;
  // Objects that expire are reports, such as events: nothing waits for them but their writer, who has others in flight.
  const patient = ops.every((op) => op.type === "put" && op.ttlSeconds !== undefined);
  const folders: string[] = [];
  const add = (key: string): void => {
    const folder = folderOf(key);
    if (!folders.includes(folder)) folders.push(folder);
  };
  for (const { key } of compare) add(key);
  for (const op of ops) {
    add(op.key);
    if (op.type === "put") bytes += op.value.length;
  }
  return { folders, bytes, patient };
}

/**
 * Gets the latest revision, and checks that no migration was interrupted.
 *
 * @throws StoreError `Corrupt`
 */
async function firstContact(
  transport: EtcdTransport,
  { prefix = "", dialTimeoutMs = 20_000 }: EtcdStoreOptions,
): Promise<Revision> {
  const options: EtcdCallOptions = { retry: true, timeoutMs: dialTimeoutMs };
  const response = await transport.kv.range({ key: unfinishedMark(prefix), keys_only: true }, options);
  if (response.kvs.length > 0)
    throw new StoreError(
      "Corrupt",
      `etcd: the keys under "${prefix}" are incomplete: a migration was interrupted; run the same orch-etcd command again`,
    );
  return validRevision(response);
}

/** A linearizable read of the store's revision. */
async function latestRevision(transport: EtcdTransport): Promise<Revision> {
  return validRevision(await transport.kv.range({ key: LOWEST_KEY, keys_only: true }, RETRY));
}

function validRevision(response: IRangeResponse): Revision {
  const revision = revisionOf(response);
  if (revision < 1) throw new StoreError("Corrupt", `etcd: the response has revision ${revision}`);
  return revision;
}

function revisionOf({ header }: { readonly header: IResponseHeader }): Revision {
  return asRevision(Number(header.revision));
}
