import { expect, test, vi } from "vitest";
import { createLogger } from "./create-logger.ts";
import { Redacted } from "./format.ts";
import { createLineSink } from "./line-sink.ts";

const instant = new Date(2027, 0, 2, 15, 4, 5, 6).getTime() + 0.789;

function setup(options: { verbosity?: number; vmodule?: readonly string[] } = {}) {
  const lines: string[] = [];
  const sink = { write: (line: string) => void lines.push(line), flush: () => {} };
  const logger = createLogger({ ...options, sink, now: () => instant, pid: 4321 });
  return { lines, logger };
}

test("a line has the layout of the original components, and names the caller's file", () => {
  const { lines, logger } = setup();
  logger.info("Serving securely", { address: "[::]:6443", count: 3 });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(
    /^I0102 15:04:05\.006789 {4}4321 logs\.test\.ts:\d+\] Serving securely address="\[::\]:6443" count=3\n$/,
  );
});

test.each<[string, (logger: ReturnType<typeof setup>["logger"]) => void, RegExp]>([
  ["warnings", (l) => l.warn("low"), /^W.*\] low\n$/],
  [
    "errors",
    (l) => l.error(new Error("no route"), "Dial failed", { host: "a" }),
    /^E.*\] Dial failed err="no route" host="a"\n$/,
  ],
  ["errors with causes", (l) => l.error(new Error("a", { cause: new Error("b") }), "x"), /err="a: b"/],
  ["errors without an object", (l) => l.error(undefined, "Odd"), /^E.*\] Odd\n$/],
  ["line breaks", (l) => l.info("a\nE0102 forged", { k: "b\nc" }), /\] a\\nE0102 forged k="b\\nc"\n$/],
  ["objects", (l) => l.info("x", { ref: { name: "n", token: "abc" } }), / ref=\{"name":"n","token":"<redacted>"\}\n$/],
  [
    "secrets by name",
    (l) => l.info("x", { bearerToken: "abc", password: "p", secret: "ns/name" }),
    / bearerToken="<redacted>" password="<redacted>" secret="ns\/name"\n$/,
  ],
  [
    "secrets by wrapper",
    (l) => l.info("x", { raw: new Redacted("s"), deep: { raw: new Redacted("s") } }),
    / raw="<redacted>" deep=\{"raw":"<redacted>"\}\n$/,
  ],
  ["bigints and absent values", (l) => l.info("x", { rv: 12n, none: undefined, nil: null }), /\] x rv=12 nil=null\n$/],
  ["children", (l) => l.child({ controller: "gc" }).info("x", { key: "a/b" }), /\] x controller="gc" key="a\/b"\n$/],
])("%s", (_name, write, pattern) => {
  const { lines, logger } = setup();
  write(logger);
  expect(lines.join("")).toMatch(pattern);
});

test("a cycle does not fail the line", () => {
  const { lines, logger } = setup();
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  logger.info("x", { cycle });
  expect(lines[0]).toContain('cycle="<unprintable>"');
});

test.each<[number, readonly string[], number, boolean]>([
  [0, [], 1, false],
  [2, [], 2, true],
  [2, [], 3, false],
  [0, ["logs.test=4"], 4, true],
  [0, ["logs*=4"], 5, false],
  [5, ["logs.tes?=1"], 2, false],
  [0, ["other=9"], 1, false],
])("--v=%d --vmodule=%j lets level %d through: %s", (verbosity, vmodule, level, written) => {
  const { lines, logger } = setup({ verbosity, vmodule });
  logger.v(level)?.info("x");
  expect(lines.length === 1).toBe(written);
});

test("a changed verbosity holds for loggers that exist already", () => {
  const { lines, logger } = setup({ verbosity: 0 });
  const child = logger.child({ part: "x" });
  child.v(3)?.info("before");
  logger.configure({ verbosity: 3, vmodule: [] });
  child.v(3)?.info("after");
  logger.configure({ verbosity: 0, vmodule: ["logs.test=4"] });
  child.v(4)?.info("by file");
  expect(lines.map((text) => text.slice(text.indexOf("]") + 2))).toEqual(['after part="x"\n', 'by file part="x"\n']);
});

test("lines are written together, urgent ones at once", async () => {
  const writes: string[] = [];
  const sink = createLineSink(
    () => 5,
    (text) => writes.push(text),
  );
  sink.write("a\n", false);
  sink.write("b\n", false);
  expect(writes).toEqual([]);
  await expect.poll(() => writes).toEqual(["a\nb\n"]);
  sink.write("c\n", false);
  sink.write("E\n", true);
  expect(writes).toEqual(["a\nb\n", "c\nE\n"]);
  sink.write("d\n", false);
  sink.flush();
  expect(writes.at(-1)).toBe("d\n");
});

test.each([
  [10, 10],
  [5000, 50],
])("lines are held back for flushMs %i, but at most for 50 ms: %i", (flushMs, want) => {
  vi.useFakeTimers();
  try {
    const written: string[] = [];
    const sink = createLineSink(
      () => flushMs,
      (text) => written.push(text),
    );
    sink.write("a\n", false);
    vi.advanceTimersByTime(want - 1);
    expect(written).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(written).toEqual(["a\n"]);
  } finally {
    vi.useRealTimers();
  }
});
