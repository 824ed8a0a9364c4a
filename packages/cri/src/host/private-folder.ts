import { chmodSync, mkdirSync, statSync } from "node:fs";

/**
 * Makes a folder, or gives one that is there the mode: what an earlier version or a person made may be open to others.
 * @throws Error naming the folder when it belongs to someone else, or is no folder
 */
export function ensureFolder(path: string, mode: number): void {
  mkdirSync(path, { recursive: true, mode });
  const found = statSync(path);
  if (!found.isDirectory()) throw new Error(`cannot use ${JSON.stringify(path)}: it is not a folder`);
  if ((found.mode & 0o7777) === mode) return;
  try {
    chmodSync(path, mode);
  } catch (cause) {
    const text = (value: number): string => `0${(value & 0o7777).toString(8)}`;
    throw new Error(
      `cannot use ${JSON.stringify(path)}: it has mode ${text(found.mode)} and owner ${found.uid}; want mode ${text(mode)}, which only its owner can set`,
      { cause },
    );
  }
}
