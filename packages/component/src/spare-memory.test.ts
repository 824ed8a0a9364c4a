import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

const url = new URL("spare-memory.mjs", import.meta.url).href;

/** Runs a program in a process of its own. @returns its output */
function run(first: string, program: string, options: readonly string[]): string {
  const text = `const { spareMemory } = await import(${JSON.stringify(url)});
    ${first}
    ${program}`;
  return execFileSync(process.execPath, [...options, "--input-type=module", "-e", text], {
    encoding: "utf8",
    env: { PATH: process.env.PATH },
    timeout: 120_000,
    maxBuffer: 1 << 28,
  });
}

const HOT = `
  const add = (numbers) => numbers.reduce((sum, number) => sum + number, 0);
  const until = performance.now() + 10_000;
  for (let i = 0; i < 300_000 && performance.now() < until; i++) add([i, 2, 3]);`;

test.each([
  ["by default", "", true],
  ["in a program that spares memory", "spareMemory();", false],
])(
  "hot code, %s",
  (_, first, want) => {
    const compiled = run(first, HOT, ["--trace-opt"]);
    expect(compiled).toContain("MAGLEV");
    expect(compiled.includes("TURBOFAN")).toBe(want);
  },
  120_000,
);

const ONCE = `
  const { runInThisContext, measureMemory } = process.getBuiltinModule("node:vm");
  const { getHeapCodeStatistics } = process.getBuiltinModule("node:v8");
  const texts = Array.from({ length: 2000 }, (_, n) => "function f" + n + "(a) { return [a, " + n + "].map((b) => b + " + n + "); }");
  const functions = runInThisContext("[" + texts.join() + "]");
  for (const called of functions) called(1);
  const bytes = () => getHeapCodeStatistics().bytecode_and_metadata_size;
  const before = bytes();
  // Collections that gc() runs do not count.
  for (let i = 0; i < 2; i++) await measureMemory({ execution: "eager" });
  console.log(bytes() < before / 2 ? "released" : "kept", functions[5](1).join());`;

test.each([
  ["by default", "", "kept 6,10\n"],
  ["in a program that spares memory", "spareMemory();", "released 6,10\n"],
])(
  "bytecode that ran once, %s",
  (_, first, want) => {
    expect(run(first, ONCE, ["--no-warnings"])).toBe(want);
  },
  120_000,
);
