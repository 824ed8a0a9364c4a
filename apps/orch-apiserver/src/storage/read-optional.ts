import { readFileSync } from "node:fs";

/** Text of a PEM file; undefined for "". */
export function readOptional(file: string): string | undefined {
  return file === "" ? undefined : readFileSync(file, "utf8");
}
