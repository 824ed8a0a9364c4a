import { Range } from "etcd3/lib/range.js";
import { StoreError } from "../errors.ts";
import { KeySpace } from "../etcd/key-space.ts";
import type { EtcdCallOptions, EtcdTransport } from "../etcd/transport.ts";
import { type Entry, inOrder, ROOT, type Source } from "./source.ts";

/** Keys that are read with one call. */
const PAGE = 5000;
const RETRY: EtcdCallOptions = { retry: true };

/** The location of a cluster's content in etcd. */
export interface EtcdPlace {
  readonly transport: EtcdTransport;
  /** The API server's `--etcd-prefix`. */
  readonly prefix: string;
}

/**
 * The content of etcd under a prefix, at etcd's latest revision.
 *
 * @throws StoreError
 */
export async function etcdSource({ transport, prefix }: EtcdPlace): Promise<Source> {
  const keys = new KeySpace(prefix, ROOT);
  const { start, end } = Range.prefix(`${prefix}/`);
  const entries: Entry[] = [];
  const ttls = new Map<string, number>();
  let revision = 0;
  for (let from: Buffer | undefined = start; from !== undefined; ) {
    const response = await transport.kv.range(
      { key: from, range_end: end, limit: PAGE, revision, keys_only: true },
      RETRY,
    );
    if (revision === 0) revision = Number(response.header.revision);
    for (const { key: raw, create_revision, mod_revision, lease } of response.kvs) {
      const key = keys.key(raw.toString("utf8"));
      if (key === undefined) continue;
      const ttl = lease === "0" ? undefined : (ttls.get(lease) ?? (await timeToLive(transport, lease)));
      if (ttl !== undefined) ttls.set(lease, ttl);
      entries.push({
        key,
        createRevision: Number(create_revision),
        modRevision: Number(mod_revision),
        ...(ttl === undefined ? {} : { ttlSeconds: ttl }),
      });
    }
    const last = response.kvs.at(-1);
    from = response.more && last !== undefined ? Buffer.concat([last.key, Buffer.from([0])]) : undefined;
  }
  return {
    name: `etcd under "${prefix}"`,
    revision,
    entries: inOrder(entries),
    async value({ key, modRevision }) {
      const response = await transport.kv.range({ key: Buffer.from(keys.raw(key)), revision }, RETRY);
      const [kv] = response.kvs;
      if (kv === undefined || Number(kv.mod_revision) !== modRevision)
        throw new StoreError("Corrupt", `etcd has no value of "${key}" at revision ${revision}`);
      return kv.value;
    },
    async unchanged() {
      const { kvs } = await transport.kv.range(
        { key: start, range_end: end, keys_only: true, min_mod_revision: revision + 1, limit: 1 },
        RETRY,
      );
      const { count } = await transport.kv.range({ key: start, range_end: end, count_only: true }, RETRY);
      if (kvs.length > 0 || Number(count) !== entries.length)
        throw new StoreError(
          "Unavailable",
          `etcd under "${prefix}" has changed since revision ${revision}: stop its API servers and run the command again`,
        );
    },
    close: async () => {},
  };
}

async function timeToLive(transport: EtcdTransport, lease: string): Promise<number> {
  const { TTL } = await transport.lease.leaseTimeToLive({ ID: lease }, RETRY);
  return Math.max(1, Number(TTL));
}
