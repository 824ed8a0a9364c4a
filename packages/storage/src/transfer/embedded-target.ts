import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { markBytes, openTables, prepareDirectory } from "../embedded/database.ts";
import { lockDirectory } from "../embedded/process-lock.ts";
import { expiryKey, pointerBytes, positionKey, recordSize, writeRecord } from "../embedded/record.ts";
import { diskFull, freeSpace, storeError } from "../embedded/store-error.ts";
import { Writes } from "../embedded/writes.ts";
import { StoreError } from "../errors.ts";
import { embeddedSource } from "./embedded-source.ts";
import { compareSources, type Entry, type Progress, type Source } from "./source.ts";

/** Position 0: there is no earlier version. */
const NOTHING = { revision: 0, index: 0 };
/** Keys written in one transaction. */
const BATCH = 500;
/** Free bytes on the disk that a new store needs. */
const ROOM = 4 << 20;

/** The options of {@link writeEmbedded}. */
export interface EmbeddedTargetOptions {
  readonly directory: string;
  /** Whether an embedded store in the directory may be replaced. */
  readonly overwrite: boolean;
  readonly progress: Progress;
}

/**
 * Creates an embedded store with the content of `source`, including the revisions; its history begins at the revision of the source. It
 * is written to a directory beside the target, verified, and renamed as the last step. A run that fails before that leaves an existing
 * store unchanged.
 *
 * @throws StoreError `Unavailable` if the directory is not empty or a server has it open, `NoSpace`, `Corrupt` if the verification
 * finds a difference
 */
export async function writeEmbedded(
  source: Source,
  { directory, overwrite, progress }: EmbeddedTargetOptions,
): Promise<void> {
  const target = resolve(directory);
  const partial = resolve(dirname(target), `.${basename(target)}.unfinished`);
  checkReplaceable(target, overwrite);
  // An interrupted run may have left the directory behind.
  rmSync(partial, { recursive: true, force: true });
  try {
    prepareDirectory(partial);
    await write(source, partial, progress);
    await verify(source, partial);
    checkReplaceable(target, overwrite);
    const replaced = `${partial}.replaced`;
    rmSync(replaced, { recursive: true, force: true });
    // The replaced store is deleted only after the new one is in its place.
    if (existsSync(target)) renameSync(target, replaced);
    renameSync(partial, target);
    rmSync(replaced, { recursive: true, force: true });
  } catch (cause) {
    rmSync(partial, { recursive: true, force: true });
    throw await storeError("write", target, cause);
  }
}

function checkReplaceable(directory: string, overwrite: boolean): void {
  if (!existsSync(directory) || readdirSync(directory).length === 0) return;
  if (!overwrite)
    throw new StoreError(
      "Unavailable",
      `the directory "${directory}" is not empty; choose another one, or replace its content by --overwrite`,
    );
  if (!existsSync(join(directory, "data.mdb")))
    throw new StoreError(
      "Unavailable",
      `the directory "${directory}" contains something other than an embedded store: it is not replaced`,
    );
  // Throws if a server has the store open.
  lockDirectory(directory)();
}

async function write(source: Source, directory: string, progress: Progress): Promise<void> {
  if (await diskFull(directory, ROOM))
    throw new StoreError("NoSpace", `cannot create the embedded store "${directory}": its disk is full; ${freeSpace}`);
  const tables = openTables({ directory, fsync: true });
  try {
    const now = Date.now();
    let written = 0;
    let at = NOTHING;
    for (let start = 0; start < source.entries.length; start += BATCH) {
      const batch = source.entries.slice(start, start + BATCH);
      const values = await valuesOf(source, batch);
      const writes = new Writes(tables.root);
      for (const [i, entry] of batch.entries()) {
        at = { revision: entry.modRevision, index: at.revision === entry.modRevision ? at.index + 1 : 0 };
        const { key, createRevision, ttlSeconds } = entry;
        const value = values[i] ?? Buffer.alloc(0);
        const keyBytes = Buffer.byteLength(key);
        const bytes = Buffer.allocUnsafe(recordSize(keyBytes, value.length));
        writeRecord(bytes, { type: "put", previous: NOTHING, createRevision, key, value }, keyBytes);
        writes.add(tables.log.put(positionKey(at), bytes));
        writes.add(tables.live.put(key, pointerBytes({ ...at, createRevision })));
        if (ttlSeconds !== undefined)
          writes.add(tables.ttl.put(expiryKey(now + ttlSeconds * 1000, key), positionKey(at)));
      }
      await writes.durable();
      written += batch.length;
      progress(`${written} of ${source.entries.length} keys written`);
    }
    const marks = new Writes(tables.root);
    for (const mark of ["revision", "compacted", "scrubbed"] as const)
      marks.add(tables.meta.put(mark, markBytes(source.revision)));
    await marks.durable();
  } finally {
    await tables.root.close();
  }
}

function valuesOf(source: Source, entries: readonly Entry[]): Promise<Buffer[]> {
  return Promise.all(entries.map((entry) => source.value(entry)));
}

async function verify(source: Source, directory: string): Promise<void> {
  const written = await embeddedSource(directory);
  try {
    const differences = await compareSources(source, written, { revisions: true });
    if (source.revision !== written.revision)
      differences.push(`the store is at revision ${written.revision}, not ${source.revision}`);
    if (differences.length > 0)
      throw new StoreError("Corrupt", `the written content differs from ${source.name}: ${differences.join("; ")}`);
  } finally {
    await written.close();
  }
  await source.unchanged();
}
