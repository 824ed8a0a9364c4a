import { isStoreError, openEtcdStore } from "@orchernetes/storage";
import { poll } from "../processes/poll.ts";
import type { StoredVersion } from "./history.ts";

/** Time limit of {@link StoreRecord.finish}. */
const FINISH_MS = 60_000;

/** A record of the objects of a round, read directly from etcd and not through the server under test. */
export interface StoreRecord {
  /**
   * Stops when the record has reached a revision, which may be that of another object. Resolves with undefined if etcd has compacted
   * changes before they were read.
   *
   * @throws Error when that takes more than a minute
   */
  finish(revision: number): Promise<readonly StoredVersion[] | undefined>;
}

/**
 * Starts to record the changes under a key prefix.
 *
 * @param prefix of the objects' keys, with the trailing slash
 */
export async function recordStore(url: string, prefix: string): Promise<StoreRecord> {
  const store = await openEtcdStore({ servers: [url] });
  const end = new AbortController();
  const versions: StoredVersion[] = [];
  const after = await store.revision();
  let position: number = after;
  let broken: unknown;
  const following = (async () => {
    for await (const { changes, revision: reached } of store.watch(prefix, { after, signal: end.signal })) {
      for (const { type, key, revision } of changes)
        versions.push({ key: key.slice(prefix.length), revision, deleted: type === "delete" });
      position = reached;
    }
  })().catch((error: unknown) => {
    broken = error;
  });
  return {
    async finish(revision) {
      try {
        await poll(
          { what: `the record of the store to reach ${revision}`, timeoutMs: FINISH_MS, intervalMs: 10 },
          () => {
            return broken !== undefined || position >= revision;
          },
        );
      } finally {
        end.abort();
        await following;
        await store.close();
      }
      if (broken === undefined) return versions;
      if (isStoreError(broken, "Compacted")) return undefined;
      throw broken;
    },
  };
}
