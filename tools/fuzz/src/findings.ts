import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FuzzCase } from "./target.ts";

/** A wrong behaviour that a run has found. */
export interface Finding {
  /** Name of the target, or of the watch (such as `canary`, `memory` and `log`) that noticed it. */
  readonly target: string;
  readonly message: string;
  /** The shrunk input that shows it; undefined when it cannot be attributed to one input. */
  readonly input: FuzzCase | undefined;
}

/**
 * Key by which findings count as the same: target and message without numbers and quoted parts.
 *
 * Those parts come from the input. If they counted, one bug would be reported once for every case that meets it.
 */
export function findingKey(target: string, message: string): string {
  const words = message
    .slice(0, 300)
    .replace(/"[^"]*"?/g, "…")
    .replace(/\d+/g, "#")
    .replace(/\{.*/s, "");
  return `${target}: ${words.slice(0, 90)}`;
}

/** Keeps the first finding of each key, in memory and as a file. */
export class Findings {
  readonly #folder: string;
  readonly #print: (line: string) => void;
  readonly #counts = new Map<string, number>();
  readonly list: Finding[] = [];

  constructor(folder: string, print: (line: string) => void) {
    this.#folder = folder;
    this.#print = print;
  }

  /** Whether there is a finding with the same key already. Remembers the key, so that the next call returns true. */
  seen(target: string, message: string): boolean {
    const key = findingKey(target, message);
    const count = this.#counts.get(key) ?? 0;
    this.#counts.set(key, count + 1);
    return count > 0;
  }

  /** Adds a finding, writes it to a file in the folder and prints a line about it. */
  add(finding: Finding): void {
    this.list.push(finding);
    mkdirSync(this.#folder, { recursive: true });
    const file = join(this.#folder, `${String(this.list.length).padStart(3, "0")}-${finding.target}.json`);
    writeFileSync(file, `${JSON.stringify(finding, null, 2)}\n`);
    this.#print(`FINDING ${finding.target}: ${finding.message.split("\n")[0]?.slice(0, 300)} (${file})`);
  }
}
