import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import type { FuzzCase } from "./target.ts";

/** A case that showed an error once, and that every run of the tests checks again. */
export interface KeptCase {
  readonly name: string;
  readonly target: string;
  /** What was wrong. */
  readonly found: string;
  readonly input: FuzzCase;
}

/** Text as it is, or as pieces that are repeated so many times; `{{i}}` in them counts up from 0, `{{-i}}` down to it. */
type Part = string | readonly (readonly [text: string, times: number])[];

const folder = new URL("./cases/", import.meta.url);

/** The cases kept in `cases/`, one file each. */
export function keptCases(): readonly KeptCase[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file) => {
      const { target, found, input } = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as {
        readonly target: string;
        readonly found: string;
        readonly input: Readonly<Record<string, Part | readonly string[]>>;
      };
      const parts = Object.entries(input).map(([name, part]) => [name, isPieces(part) ? writtenOut(part) : part]);
      return { name: basename(file, ".json"), target, found, input: Object.fromEntries(parts) as FuzzCase };
    });
}

function isPieces(part: Part | readonly string[]): part is readonly (readonly [string, number])[] {
  return Array.isArray(part) && Array.isArray(part[0]);
}

function writtenOut(pieces: readonly (readonly [text: string, times: number])[]): string {
  const repeated = ([text, times]: readonly [string, number]): string[] =>
    Array.from({ length: times }, (_, i) =>
      text.replaceAll("{{i}}", String(i)).replaceAll("{{-i}}", String(times - 1 - i)),
    );
  return pieces.flatMap(repeated).join("");
}
