import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../paths.ts";

/** A file that a bundle was made from. */
interface Input {
  readonly size: number;
  readonly mtimeMs: number;
  readonly sha256: string;
}

/** What a bundle was made from; paths are those of the workspace. */
export interface Stamp {
  readonly inputs: Readonly<Record<string, Input>>;
}

/** File of the stamp in the bundle's folder. */
export const STAMP_FILE = "build.json";

/** Whether a bundle holds what the sources hold now. */
export type BundleState =
  | { readonly type: "current" }
  | { readonly type: "missing" }
  /** `because` is the first file that differs. */
  | { readonly type: "outdated"; readonly because: string };

/**
 * Records what a bundle is made from.
 *
 * @param inputs paths in the workspace
 * @param startedMs when the build began to read them, in milliseconds since 1970. A file that was written later may have been read
 * before: no content of it counts as that of the bundle
 */
export function makeStamp(inputs: readonly string[], startedMs: number): Stamp {
  const entries = [...new Set(inputs)].sort().map((path) => {
    const input = inputOf(join(root, path));
    return [path, input.mtimeMs < startedMs ? input : UNKNOWN] as const;
  });
  return { inputs: Object.fromEntries(entries) };
}

/** What no file is like. */
const UNKNOWN: Input = { size: -1, mtimeMs: 0, sha256: "" };

function inputOf(file: string): Input {
  const { size, mtimeMs } = statSync(file);
  return { size, mtimeMs, sha256: hashOf(file) };
}

const hashOf = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");

/**
 * Compares a bundle with the sources. A file whose size and time are those of the build is taken to be unchanged; any other is
 * compared by content, and its new time is noted, so that a fresh checkout is read only once.
 *
 * @param folder the bundle's folder
 */
export function stateOfFolder(folder: string): BundleState {
  const file = join(folder, STAMP_FILE);
  const stamp = readStamp(file);
  if (stamp === undefined) return { type: "missing" };
  const touched: Record<string, Input> = {};
  for (const [path, input] of Object.entries(stamp.inputs)) {
    const found = statSync(join(root, path), { throwIfNoEntry: false });
    if (found?.size !== input.size) return { type: "outdated", because: path };
    if (found.mtimeMs === input.mtimeMs) continue;
    const now = inputOf(join(root, path));
    if (now.sha256 !== input.sha256) return { type: "outdated", because: path };
    touched[path] = now;
  }
  if (Object.keys(touched).length > 0) writeStamp(folder, { inputs: { ...stamp.inputs, ...touched } });
  return { type: "current" };
}

function readStamp(file: string): Stamp | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Stamp;
  } catch {
    // A build that was interrupted.
    return undefined;
  }
}

export function writeStamp(folder: string, stamp: Stamp): void {
  writeFileSync(join(folder, STAMP_FILE), `${JSON.stringify(stamp)}\n`);
}
