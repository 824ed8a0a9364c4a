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

const NOTHING = { revision: 0, index: 0 };
/** Keys written in one transaction. */
const BATCH = 500;
/** What a new store needs at least. */
const ROOM = 4 << 20;

/** How {@link writeEmbedded} writes. */
export interface EmbeddedTargetOptions {
  readonly directory: string;
  /** Whether what is in the directory may be replaced. */
  readonly overwrite: boolean;
  readonly progress: Progress;
}

/**
 * Makes an embedded store with the content of `source`, revisions included; its history begins at the revision of the source. It
 * is written and verified beside the directory and takes its place as the last step: a run that ends before leaves no store, and
 * the one that was there is untouched.
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
  // What an interrupted run left.
  rmSync(partial, { recursive: true, force: true });
  try {
    prepareDirectory(partial);
    await write(source, partial, progress);
    await verify(source, partial);
    checkReplaceable(target, overwrite);
    const replaced = `${partial}.replaced`;
    rmSync(replaced, { recursive: true, force: true });
    // Between the two, what was there is in the other folder: nothing is deleted before the new store is in its place.
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
      `the folder "${directory}" is not empty; choose another one, or --overwrite to replace what is in it`,
    );
  if (!existsSync(join(directory, "data.mdb")))
    throw new StoreError(
      "Unavailable",
      `the folder "${directory}" holds something else than an embedded store: it is not replaced`,
    );
  // A server that has it open must not lose it.
  lockDirectory(directory)();
}

async function write(source: Source, directory: string, progress: Progress): Promise<void> {
  if (await diskFull(directory, ROOM))
    throw new StoreError("NoSpace", `cannot make the embedded store "${directory}": its disk is full; ${freeSpace}`);
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
      throw new StoreError("Corrupt", `what was written differs from ${source.name}: ${differences.join("; ")}`);
  } finally {
    await written.close();
  }
  await source.unchanged();
}
