import { existsSync } from "node:fs";
import { join } from "node:path";
import { openTables, readMark, type Tables } from "../embedded/database.ts";
import { lockDirectory } from "../embedded/process-lock.ts";
import { positionKey, readExpiryKey, readPointer, readPosition, readRecord } from "../embedded/record.ts";
import { storeError } from "../embedded/store-error.ts";
import { StoreError } from "../errors.ts";
import { type Entry, inOrder, ROOT, type Source } from "./source.ts";

/**
 * The content of the embedded store in a directory, which is locked for this process until {@link Source.close}. A
 * migration while a server runs would miss its later writes.
 *
 * @throws StoreError `Unavailable` if there is none or a server has it open, `Corrupt` if it is damaged
 */
export async function embeddedSource(directory: string): Promise<Source> {
  if (!existsSync(join(directory, "data.mdb")))
    throw new StoreError(
      "Unavailable",
      `cannot read the embedded store "${directory}": there is no file data.mdb in it`,
    );
  const unlock = lockDirectory(directory);
  let tables: Tables | undefined;
  try {
    tables = openTables({ directory, fsync: true });
    return sourceOf(tables, directory, unlock);
  } catch (cause) {
    await tables?.root.close();
    unlock();
    throw await storeError("read", directory, cause);
  }
}

/** Reads the keys of the tables; values are read on demand. @throws Error of lmdb, or RangeError, for damaged tables */
function sourceOf(tables: Tables, directory: string, unlock: () => void): Source {
  const entries: Entry[] = [];
  const positions = new Map<string, Buffer>();
  const expiries = new Map<string, { readonly at: number; readonly revision: number }>();
  for (const { key: row, value } of tables.ttl.getRange()) {
    const { expiresAtMs, key } = readExpiryKey(row);
    expiries.set(key, { at: expiresAtMs, revision: readPosition(value).revision });
  }
  const now = Date.now();
  for (const { key, value } of tables.live.getRange({ start: `${ROOT}/`, end: `${ROOT}0` })) {
    const pointer = readPointer(value);
    const expiry = expiries.get(key);
    // Rows of earlier versions of the key have no effect.
    const ttl = expiry?.revision === pointer.revision ? Math.max(1, Math.ceil((expiry.at - now) / 1000)) : undefined;
    entries.push({
      key,
      createRevision: pointer.createRevision,
      modRevision: pointer.revision,
      ...(ttl === undefined ? {} : { ttlSeconds: ttl }),
    });
    positions.set(key, positionKey(pointer));
  }
  return {
    name: `the embedded store "${directory}"`,
    revision: Math.max(1, readMark(tables, "revision")),
    entries: inOrder(entries),
    async value({ key }) {
      const record = tables.log.getBinary(positions.get(key) ?? Buffer.alloc(0));
      if (record === undefined)
        throw new StoreError("Corrupt", `the embedded store "${directory}" has no value of "${key}"`);
      return Buffer.from(readRecord(record).value);
    },
    // The lock prevents changes.
    unchanged: async () => {},
    async close() {
      await tables.root.close();
      unlock();
    },
  };
}
