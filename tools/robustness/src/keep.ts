import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes a history to a file and returns its path. */
export function keep(dir: string, name: string, content: unknown): string {
  mkdirSync(dir, { recursive: true });
  const file = join(dir, `${name}.json`);
  writeFileSync(file, JSON.stringify(content));
  return file;
}
