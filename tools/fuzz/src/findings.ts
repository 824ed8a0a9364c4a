import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FuzzCase } from "./target.ts";

/** Something that should not have happened. */
export interface Finding {
  readonly target: string;
  readonly message: string;
  /** What showed it, made small; undefined when it cannot be pinned to one input. */
  readonly input: FuzzCase | undefined;
}

/** What tells findings apart: target and message, numbers and quoted parts aside. */
export function findingKey(target: string, message: string): string {
  const words = message
    .slice(0, 300)
    .replace(/"[^"]*"?/g, "…")
    .replace(/\d+/g, "#")
    .replace(/\{.*/s, "");
  return `${target}: ${words.slice(0, 90)}`;
}

/** Keeps one finding of each sort, in memory and as a file. */
export class Findings {
  readonly #folder: string;
  readonly #print: (line: string) => void;
  readonly #counts = new Map<string, number>();
  readonly list: Finding[] = [];

  constructor(folder: string, print: (line: string) => void) {
    this.#folder = folder;
    this.#print = print;
  }

  /** Whether a finding of this sort is there already; counts it then. */
  seen(target: string, message: string): boolean {
    const key = findingKey(target, message);
    const count = this.#counts.get(key) ?? 0;
    this.#counts.set(key, count + 1);
    return count > 0;
  }

  /** Writes a finding to the folder. */
  add(finding: Finding): void {
    this.list.push(finding);
    mkdirSync(this.#folder, { recursive: true });
    const file = join(this.#folder, `${String(this.list.length).padStart(3, "0")}-${finding.target}.json`);
    writeFileSync(file, `${JSON.stringify(finding, null, 2)}\n`);
    this.#print(`FINDING ${finding.target}: ${finding.message.split("\n")[0]?.slice(0, 300)} (${file})`);
  }
}
