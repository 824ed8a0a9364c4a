import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import type { FuzzCase } from "./target.ts";

/** A case that once showed a bug. Every run of the tests checks it again. */
export interface KeptCase {
  /** Name of its file, without the extension. */
  readonly name: string;
  readonly target: string;
  /** What was wrong then. */
  readonly found: string;
  readonly input: FuzzCase;
}

/**
 * A text, or pieces of text that are repeated a number of times. In pieces, `{{i}}` counts up from 0 and `{{-i}}`
 * down to 0. Pieces keep the files small: many cases are megabytes of the same few characters.
 */
type Part = string | readonly (readonly [text: string, times: number])[];

const folder = new URL("./cases/", import.meta.url);

/** The cases in the folder `cases/`, one file each, sorted by name. */
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
