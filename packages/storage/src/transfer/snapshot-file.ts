import { createHash } from "node:crypto";
import { closeSync, createReadStream, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { messageOf } from "@orchernetes/kernel";
import type { ISnapshotResponse } from "etcd3/lib/rpc.js";
import { StoreError } from "../errors.ts";
import { KeySpace } from "../etcd/key-space.ts";
import { decodeKeyValue, decodeLease } from "../etcd/rpc/methods.ts";
import type { EtcdStream } from "../etcd/rpc/stream.ts";
import type { EtcdTransport } from "../etcd/transport.ts";
import { BoltFile } from "./bolt-file.ts";
import { type Entry, inOrder, type Progress, ROOT, type Source } from "./source.ts";

/** Bytes of the checksum that etcd appends to its database. */
const HASH_BYTES = 32;
/** The size of the database is a multiple of this, which shows whether a checksum follows it. */
const PAGE_BYTES = 512;
/** Bytes between two reports of progress. */
const PROGRESS_BYTES = 64 << 20;
/**
 * Length of the key of a tombstone. Keys of the bucket `key` consist of revision, `_`, index in the transaction, and
 * `t` for a tombstone.
 */
const TOMBSTONE_KEY = 18;

/**
 * Saves a snapshot of etcd in etcd's own format, which `etcdutl snapshot restore` accepts. The file gets its name
 * when it is complete and its checksum is correct, so an interrupted run leaves no file that looks like a backup.
 *
 * @returns size of the file in bytes
 * @throws StoreError; Error of the file system, for example when the disk is full
 */
export async function saveSnapshot(transport: EtcdTransport, path: string, progress: Progress): Promise<number> {
  const partial = `${path}.unfinished`;
  // An interrupted run may have left the file behind. Opened as it is, it would keep its mode, and a symbolic link
  // its target.
  rmSync(partial, { force: true });
  const file = openSync(partial, "wx", 0o600);
  try {
    const stream = (await transport.maintenance.snapshot()) as unknown as EtcdStream<object, ISnapshotResponse>;
    let size = 0;
    let reportedBytes = 0;
    for await (const { blob } of stream.messages()) {
      for (let at = 0; at < blob.length; ) at += writeSync(file, blob, at);
      size += blob.length;
      if (size - reportedBytes < PROGRESS_BYTES) continue;
      reportedBytes = size;
      progress(`${size >> 20} MiB received`);
    }
    fsyncSync(file);
    await checkHash(partial);
    renameSync(partial, path);
    return size;
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/**
 * The content of a snapshot file of etcd under a prefix.
 *
 * @throws StoreError `Corrupt` if the file is not a complete snapshot
 */
export async function snapshotSource(path: string, prefix: string): Promise<Source> {
  const end = await checkHash(path);
  let bolt: BoltFile;
  try {
    bolt = new BoltFile(path, end);
  } catch (cause) {
    throw damaged(path, cause);
  }
  try {
    return { ...read(bolt, path, prefix), close: async () => {} };
  } catch (cause) {
    throw damaged(path, cause);
  } finally {
    bolt.close();
  }
}

function read(bolt: BoltFile, path: string, prefix: string): Omit<Source, "close"> {
  const keys = new KeySpace(prefix, ROOT);
  const entries = new Map<string, Entry>();
  const values = new Map<string, Buffer>();
  const leases = leasesOf(bolt);
  let revision = 1;
  for (const { key: place, value } of bolt.items("meta"))
    if (place.toString() === "scheduledCompactRev") revision = Math.max(revision, Number(value.readBigUInt64BE(0)));
  for (const { key: place, value } of bolt.items("key")) {
    revision = Math.max(revision, Number(place.readBigUInt64BE(0)));
    const kv = decodeKeyValue(value);
    const raw = kv.key.toString("utf8");
    if (!raw.startsWith(`${prefix}/`)) continue;
    const key = keys.key(raw);
    if (key === undefined) continue;
    if (place.length === TOMBSTONE_KEY) {
      entries.delete(key);
      values.delete(key);
      continue;
    }
    const ttl = kv.lease === "0" ? undefined : leases.get(kv.lease);
    entries.set(key, {
      key,
      createRevision: Number(kv.create_revision),
      modRevision: Number(kv.mod_revision),
      ...(ttl === undefined ? {} : { ttlSeconds: ttl }),
    });
    values.set(key, kv.value);
  }
  return {
    name: `the snapshot "${path}"`,
    revision,
    entries: inOrder([...entries.values()]),
    value: async ({ key }) => values.get(key) ?? Buffer.alloc(0),
    unchanged: async () => {},
  };
}

/** Seconds to live of leases by id: what remained at etcd's last checkpoint of the lease, or else its whole time to live. */
function leasesOf(bolt: BoltFile): ReadonlyMap<string, number> {
  const leases = new Map<string, number>();
  for (const { value } of bolt.items("lease")) {
    const { ID, TTL, RemainingTTL } = decodeLease(value);
    leases.set(ID, Math.max(1, Number(RemainingTTL === "0" ? TTL : RemainingTTL)));
  }
  return leases;
}

/** Verifies the checksum and returns the offset at which it begins. @throws StoreError `Corrupt` */
async function checkHash(path: string): Promise<number> {
  const size = statSync(path).size;
  const end = size - HASH_BYTES;
  if (end <= 0 || end % PAGE_BYTES !== 0)
    throw new StoreError(
      "Corrupt",
      `"${path}" is not a complete snapshot of etcd: its ${size} bytes do not end with a checksum`,
    );
  const hash = createHash("sha256");
  for await (const part of createReadStream(path, { end: end - 1 })) hash.update(part as Buffer);
  const parts: Buffer[] = [];
  for await (const part of createReadStream(path, { start: end })) parts.push(part as Buffer);
  if (!hash.digest().equals(Buffer.concat(parts)))
    throw new StoreError("Corrupt", `"${path}" is damaged: its checksum is not the one that etcd appended`);
  return end;
}

function damaged(path: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const why = messageOf(cause);
  return new StoreError("Corrupt", `"${path}" cannot be read as a snapshot of etcd: ${why}`, { cause });
}
