import { createReadStream, createWriteStream } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { RotatingFileOptions } from "./rotating-file.ts";

const dayMs = 24 * 3600 * 1000;

/** A rotated log file. */
export interface Backup {
  readonly name: string;
  readonly atMs: number;
  readonly compressed: boolean;
}

/** Name of a rotated file: `audit-2023-06-01T10-20-30.000.log` for `audit.log`, as lumberjack (upstream's library) names it. */
export function backupPath(path: string, atMs: number): string {
  const extension = extname(path);
  const stamp = new Date(atMs).toISOString().slice(0, -1).replaceAll(":", "-");
  return join(dirname(path), `${basename(path, extension)}-${stamp}${extension}`);
}

/** Finds the rotated files of `path` among the names in its directory, newest first. */
export function backupsOf(path: string, names: readonly string[]): readonly Backup[] {
  const extension = extname(path);
  const prefix = `${basename(path, extension)}-`;
  const backups = names.flatMap((name) => {
    const compressed = name.endsWith(".gz");
    const plain = compressed ? name.slice(0, -3) : name;
    if (!plain.startsWith(prefix) || !plain.endsWith(extension)) return [];
    const stamp = plain.slice(prefix.length, plain.length - extension.length);
    const time = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d\.\d{3})$/.exec(stamp);
    const atMs = time === null ? Number.NaN : Date.parse(`${time[1]}:${time[2]}:${time[3]}Z`);
    return Number.isNaN(atMs) ? [] : [{ name, atMs, compressed }];
  });
  return backups.sort((a, b) => b.atMs - a.atMs);
}

/** Decides which rotated files to remove, and which of the others to compress. Pure. */
export function planOf(
  backups: readonly Backup[],
  { maxBackups, maxAgeDays, compress }: Pick<RotatingFileOptions, "maxBackups" | "maxAgeDays" | "compress">,
  nowMs: number,
): { readonly remove: readonly Backup[]; readonly compress: readonly Backup[] } {
  // If a compression was interrupted, a file exists in both forms; it counts once.
  const times = [...new Set(backups.map(({ atMs }) => atMs))];
  const kept = new Set(maxBackups > 0 ? times.slice(0, maxBackups) : times);
  const isKept = ({ atMs }: Backup): boolean =>
    kept.has(atMs) && (maxAgeDays === 0 || atMs >= nowMs - maxAgeDays * dayMs);
  return {
    remove: backups.filter((backup) => !isKept(backup)),
    compress: compress ? backups.filter((backup) => isKept(backup) && !backup.compressed) : [],
  };
}

/** Removes rotated files that are too old or too many, and compresses the others. */
export async function cleanBackups(options: RotatingFileOptions): Promise<void> {
  const { path, maxBackups, maxAgeDays, compress, clock } = options;
  if (maxBackups === 0 && maxAgeDays === 0 && !compress) return;
  const directory = dirname(path);
  const plan = planOf(backupsOf(path, await readdir(directory)), options, clock.nowMs());
  for (const { name } of plan.remove) await rm(join(directory, name), { force: true });
  for (const { name } of plan.compress) {
    const file = join(directory, name);
    await compressFile(file);
  }
}

/** Replaces a file by its compressed form. If that fails, such as on a full disk, the incomplete result is removed. */
async function compressFile(file: string): Promise<void> {
  const compressed = `${file}.gz`;
  try {
    await pipeline(createReadStream(file), createGzip(), createWriteStream(compressed, { mode: 0o600 }));
  } catch (error) {
    await rm(compressed, { force: true });
    throw error;
  }
  await rm(file, { force: true });
}
