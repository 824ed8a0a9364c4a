import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Where the kernel shows its state. Tests give a folder with the files of another machine. */
export interface HostFolders {
  /** @default "/proc" */
  readonly proc?: string;
  /** Mount point of the control groups. @default "/sys/fs/cgroup" */
  readonly cgroup?: string;
  /** @default "/sys" */
  readonly sys?: string;
}

/** The text of a file of the kernel; undefined if it cannot be read, because not every kernel has all of them. */
export function readText(...path: readonly string[]): string | undefined {
  try {
    return readFileSync(join(...path), "utf8");
  } catch {
    return undefined;
  }
}

/** A file that holds one number; undefined if it does not, as with `max`. */
export function readNumber(...path: readonly string[]): number | undefined {
  return numberOf(readText(...path)?.trim());
}

/** A text of digits, or with a sign, as a number. */
export function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^-?\d+$/.test(text) ? Number(text) : undefined;
}

/** The lines `name value` of a file, as `memory.stat`; undefined if it cannot be read. */
export function readCounters(...path: readonly string[]): ReadonlyMap<string, number> | undefined {
  const text = readText(...path);
  if (text === undefined) return undefined;
  const counters = new Map<string, number>();
  for (const line of text.split("\n")) {
    const at = line.indexOf(" ");
    const value = at === -1 ? undefined : numberOf(line.slice(at + 1).trim());
    if (value !== undefined) counters.set(line.slice(0, at), value);
  }
  return counters;
}

/** Names of the folders in a folder; none if it cannot be read. */
export function foldersIn(path: string): readonly string[] {
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    return [];
  }
}
