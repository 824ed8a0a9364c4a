import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "@orchernetes/kernel";
import * as lmdb from "lmdb";
import { StoreError } from "../errors.ts";

/** The version of the layout in record.ts. */
const FORMAT = 1;

/** Address space reserved for the file, so that it rarely has to be mapped again when it grows. Not a limit. */
const MAP_BYTES = 16 * 2 ** 30;

/** Keys of the table `meta`. */
export type Mark = "format" | "revision" | "compacted" | "scrubbed";

/** An overload that is missing from the types of lmdb. */
interface Appendable {
  /** Resolves to false, writing nothing, if the key does not come after all others. */
  put(key: Buffer, value: Buffer, options: { readonly append: true }): Promise<boolean>;
}

/** The open tables; record.ts describes their contents. */
export interface Tables {
  readonly root: lmdb.RootDatabase<Buffer, string>;
  readonly log: lmdb.Database<Buffer, Buffer> & Appendable;
  readonly live: lmdb.Database<Buffer, string>;
  readonly dead: lmdb.Database<Buffer, string>;
  readonly ttl: lmdb.Database<Buffer, Buffer>;
  readonly meta: lmdb.Database<Buffer, Mark>;
}

/** The options of {@link openTables}. */
export interface TablesOptions {
  readonly directory: string;
  readonly fsync: boolean;
}

/**
 * Opens or creates the tables. All files in the directory get the mode 0600.
 *
 * @throws StoreError `Corrupt` if the format is not {@link FORMAT}, `Unavailable` if the directory cannot be used.
 */
export function openTables({ directory, fsync }: TablesOptions): Tables {
  const root = lmdb.open<Buffer, string>({
    path: join(directory, "data.mdb"),
    noSubdir: true,
    maxDbs: 5,
    encoding: "binary",
    mapSize: MAP_BYTES,
    // A commit must be on disk when it resolves and when readers see it: commit and sync may not overlap.
    overlappingSync: false,
    noSync: !fsync,
    noMemInit: true,
    commitDelay: 0,
  });
  try {
    return tablesIn(root, directory);
  } catch (error) {
    void root.close();
    throw error;
  }
}

function tablesIn(root: Tables["root"], directory: string): Tables {
  const tables: Tables = {
    root,
    log: root.openDB<Buffer, Buffer>({ name: "log", keyEncoding: "binary", encoding: "binary" }) as Tables["log"],
    live: root.openDB<Buffer, string>({ name: "live", encoding: "binary" }),
    dead: root.openDB<Buffer, string>({ name: "dead", encoding: "binary" }),
    ttl: root.openDB<Buffer, Buffer>({ name: "ttl", keyEncoding: "binary", encoding: "binary" }),
    meta: root.openDB<Buffer, Mark>({ name: "meta", encoding: "binary" }),
  };
  for (const file of readdirSync(directory)) chmodSync(join(directory, file), 0o600);
  const format = readMark(tables, "format");
  if (format === 0) {
    tables.meta.putSync("format", markBytes(FORMAT));
  } else if (format !== FORMAT) {
    throw new StoreError(
      "Corrupt",
      `cannot open the embedded store "${directory}": it has format ${format}, and this version reads format ${FORMAT} only`,
    );
  }
  return tables;
}

/**
 * Creates the directory if it does not exist, and sets its mode to 0700: the store contains Secrets.
 *
 * @throws StoreError `Unavailable`
 */
export function prepareDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    chmodSync(directory, 0o700);
  } catch (cause) {
    const why = messageOf(cause);
    throw new StoreError(
      "Unavailable",
      `cannot create the directory "${directory}" of the embedded store with mode 0700: ${why}`,
      { cause },
    );
  }
}

/** The number of a mark; 0 if it was never written. */
export function readMark(tables: Tables, mark: Mark): number {
  return tables.meta.getBinary(mark)?.readDoubleBE(0) ?? 0;
}

/** The stored form of the number of a mark. */
export function markBytes(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeDoubleBE(value, 0);
  return bytes;
}
