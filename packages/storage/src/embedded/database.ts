import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import * as lmdb from "lmdb";
import { StoreError } from "../errors.ts";

/** The version of the layout in record.ts. */
const FORMAT = 1;

/** Address space set aside for the file, so that it rarely has to be mapped again as it grows; not a limit. */
const MAP_BYTES = 16 * 2 ** 30;

/** Marks kept in `meta`. */
export type Mark = "format" | "revision" | "compacted" | "scrubbed";

/** An overload that lmdb has and its types lack. */
interface Appendable {
  /** Resolves to false, writing nothing, if the key does not come after all others. */
  put(key: Buffer, value: Buffer, options: { readonly append: true }): Promise<boolean>;
}

/** The open tables; see record.ts for what each holds. */
export interface Tables {
  readonly root: lmdb.RootDatabase<Buffer, string>;
  readonly log: lmdb.Database<Buffer, Buffer> & Appendable;
  readonly live: lmdb.Database<Buffer, string>;
  readonly dead: lmdb.Database<Buffer, string>;
  readonly ttl: lmdb.Database<Buffer, Buffer>;
  readonly meta: lmdb.Database<Buffer, Mark>;
}

/** How {@link openTables} opens. */
export interface TablesOptions {
  readonly directory: string;
  readonly fsync: boolean;
}

/**
 * Opens or creates the tables; directory 0700, files 0600.
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
    // Readers must never see what is not yet on disk, and a resolved commit must be: no overlap of commit and sync.
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

/** Makes `directory` if need be, closed to other users. */
export function prepareDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    chmodSync(directory, 0o700);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new StoreError("Unavailable", `cannot use "${directory}" for the embedded store: ${why}`, { cause });
  }
}

/** A mark's number; 0 if it was never written. */
export function readMark(tables: Tables, mark: Mark): number {
  return tables.meta.getBinary(mark)?.readDoubleBE(0) ?? 0;
}

/** A mark's number as stored. */
export function markBytes(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeDoubleBE(value, 0);
  return bytes;
}
