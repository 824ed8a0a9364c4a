import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

/** Leaves 80 MB of free blocks before one that is in use, and prints how many MB trimming returns to the system. */
const SCRIPT = `
const { mallocTrimmer } = await import(process.argv[1]);
const trim = mallocTrimmer();
let blocks = Array.from({ length: 20_000 }, () => Buffer.allocUnsafeSlow(4096).fill(1));
const last = blocks.at(-1);
blocks = undefined;
gc();
await new Promise((resolve) => setTimeout(resolve, 100));
const before = process.memoryUsage.rss();
trim();
console.log(last.length, Math.round((before - process.memoryUsage.rss()) / 1e6));
`;

test("memory that is free between allocations is returned to the system, and no warning is printed", () => {
  const args = ["--expose-gc", "--input-type=module", "-e", SCRIPT, join(import.meta.dirname, "trim-malloc.ts")];
  const env = { ...process.env, MALLOC_ARENA_MAX: "1", MALLOC_MMAP_THRESHOLD_: "131072" };
  const printed = execFileSync("sh", ["-c", '"$0" "$@" 2>&1', process.execPath, ...args], { encoding: "utf8", env });
  expect(printed).toMatch(/^4096 \d+\n$/);
  expect(Number(printed.split(" ")[1])).toBeGreaterThan(40);
});
