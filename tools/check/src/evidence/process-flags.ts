import { readFileSync, statSync } from "node:fs";
import type { DaemonFacts, Flags } from "./evidence.ts";

/** Flags that may be repeated: each adds to the list. */
const LISTS: ReadonlySet<string> = new Set([
  "authorization-mode",
  "disable-admission-plugins",
  "enable-admission-plugins",
  "feature-gates",
  "tls-cipher-suites",
]);

/** The flags among the words of a command line: `--name=value`, `--name value` and `--name`. */
export function parseFlags(words: readonly string[]): Flags {
  const flags = new Map<string, string>();
  for (const [i, word] of words.entries()) {
    const match = /^--?([a-z][-a-z0-9]*)(?:=(.*))?$/s.exec(word);
    if (match === null) continue;
    const [, name = "", value] = match;
    const next = words[i + 1];
    const given = value ?? (next === undefined || next.startsWith("-") ? "true" : next);
    const before = LISTS.has(name) ? flags.get(name) : undefined;
    flags.set(name, before === undefined ? given : `${before},${given}`);
  }
  return flags;
}

/**
 * The flags of a running process; undefined if there is none of that number, or it is another one than the one that was started.
 *
 * @param startTicks when the process started, in ticks since boot; undefined if that is not known
 */
export function processFacts(pid: number, startTicks?: number): DaemonFacts | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // Field 22 of proc(5) stat. The name in brackets before it may contain blanks and brackets itself.
    const started = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]);
    if (startTicks !== undefined && startTicks !== started) return undefined;
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
    return {
      flags: parseFlags(words),
      uid: statSync(`/proc/${pid}`).uid,
      source: `command line of process ${pid}`,
    };
  } catch {
    return undefined;
  }
}
