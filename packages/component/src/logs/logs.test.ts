import { describe, expect, test, vi } from "vitest";
import { createLogger, type LogSettings, type RootLogger } from "./create-logger.ts";
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

test("a changed verbosity applies to existing loggers", () => {
  const { lines, logger } = setup({ verbosity: 0 });
  const child = logger.child({ part: "x" });
  child.v(3)?.info("before");
  logger.configure({ verbosity: 3, vmodule: [] });
  child.v(3)?.info("after");
  logger.configure({ verbosity: 0, vmodule: ["logs.test=4"] });
  child.v(4)?.info("by file");
  expect(lines.map((text) => text.slice(text.indexOf("]") + 2))).toEqual(['after part="x"\n', 'by file part="x"\n']);
});

test("lines are written together, and urgent ones immediately", async () => {
  const writes: string[] = [];
  const sink = createLineSink({ flushMs: () => 5, write: (text) => writes.push(text) });
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

// shows: logging.flushFrequency
test.each([
  { flushMs: 10, bufferBytes: 0, want: 10 },
  { flushMs: 5000, bufferBytes: 0, want: 50 },
  { flushMs: 5000, bufferBytes: 100, want: 5000 },
])(
  "lines are buffered for flushMs, or for at most 50 ms without a buffer: $flushMs $bufferBytes",
  ({ want, ...given }) => {
    vi.useFakeTimers();
    try {
      const written: string[] = [];
      const { flushMs, bufferBytes } = given;
      const sink = createLineSink({
        flushMs: () => flushMs,
        bufferBytes: () => bufferBytes,
        write: (text) => written.push(text),
      });
      sink.write("a\n", false);
      vi.advanceTimersByTime(want - 1);
      expect(written).toEqual([]);
      vi.advanceTimersByTime(1);
      expect(written).toEqual(["a\n"]);
    } finally {
      vi.useRealTimers();
    }
  },
);

test("a full buffer is written immediately", () => {
  const written: string[] = [];
  const sink = createLineSink({ flushMs: () => 60_000, bufferBytes: () => 4, write: (text) => written.push(text) });
  sink.write("ä\n", false);
  expect(written).toEqual([]);
  sink.write("\n", false);
  expect(written).toEqual(["ä\n\n"]);
});

describe("in JSON form", () => {
  const json = (options: LogSettings = {}) => {
    const written = { err: [] as string[], out: [] as string[] };
    const collect = (lines: string[]) => ({ write: (line: string) => void lines.push(line), flush: () => {} });
    const logger = createLogger({
      format: "json",
      verbosity: 4,
      ...options,
      sink: collect(written.err),
      infoSink: collect(written.out),
      now: () => instant,
    });
    return { logger, written };
  };

  test.each<[string, (logger: RootLogger) => void, object]>([
    ["messages", (l) => l.info("a\nb", { k: 1 }), { msg: "a\nb", v: 0, k: 1 }],
    ["verbosity", (l) => l.child({ c: "gc" }).v(4)?.info("x"), { msg: "x", v: 4, c: "gc" }],
    ["warnings", (l) => l.warn("x"), { msg: "x", v: 0 }],
    ["errors", (l) => l.error(new Error("a", { cause: new Error("b") }), "x"), { msg: "x", err: "a: b" }],
    ["keys that are taken", (l) => l.info("x", { msg: 1, ts: 2 }), { msg: "x", v: 0, msg_: 1, ts_: 2 }],
    [
      "secrets",
      (l) => l.info("x", { token: "t", d: { password: "p" } }),
      { msg: "x", v: 0, token: "<redacted>", d: { password: "<redacted>" } },
    ],
    [
      "bigints, errors and wrapped secrets inside",
      (l) => l.info("x", { d: [1n, new Error("e"), new Redacted("s")] }),
      { msg: "x", v: 0, d: ["1", "e", "<redacted>"] },
    ],
  ])("%s are one object a line", (_name, write, want) => {
    const { logger, written } = json();
    write(logger);
    expect(written.err).toHaveLength(1);
    expect(written.err[0]).toMatch(/^\{.*\}\n$/);
    const caller = expect.stringMatching(/^logs\.test\.ts:\d+$/);
    expect(JSON.parse(written.err[0] ?? "")).toEqual({ ts: instant, caller, ...want });
  });

  test("a cycle does not fail the line", () => {
    const { logger, written } = json();
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    logger.info("x", { cycle });
    expect(written.err[0]).toContain('"cycle":"<unprintable>"');
  });

  // shows: logging.options.json.splitStream
  test("with split streams, errors are written to one stream and all other lines to the other", () => {
    const { logger, written } = json({ splitStream: true });
    logger.info("i");
    logger.warn("w");
    logger.error(undefined, "e");
    expect([written.out.length, written.err.length]).toEqual([2, 1]);
    logger.configure({ format: "text" });
    logger.info("text");
    expect(written.err.at(-1)).toMatch(/^I0102 .*\] text\n$/);
  });
});
