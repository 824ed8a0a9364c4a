import type { AuditEvent } from "@orchernetes/apiserver";
import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import type { AuditBackend } from "./backend.ts";
import { type BatchOptions, BatchSink } from "./batch-sink.ts";
import { BlockingSink } from "./blocking-sink.ts";
import { BufferCapacity } from "./buffer-capacity.ts";
import { legacyLine } from "./legacy-line.ts";
import { LogBatches } from "./log-batches.ts";
import { lostEventReporter } from "./lost-event-reporter.ts";
import { testEvent } from "./testing.ts";
import { TruncatingSink } from "./truncating-sink.ts";
import { unionSink } from "./union-sink.ts";

function setUp(options: Partial<BatchOptions> = {}, deliver: () => Promise<void> = async () => undefined) {
  const clock = new FakeClock();
  const batches: number[] = [];
  const lost: string[] = [];
  const backend: AuditBackend = {
    name: "webhook",
    deliver: (events) => {
      batches.push(events.length);
      return deliver();
    },
    close: async () => undefined,
  };
  const reportLost = (plugin: string, _error: unknown, events: number) => void lost.push(`${plugin} ${events}`);
  const sink = new BatchSink({
    bufferSize: 10,
    maxSize: 3,
    maxWaitMs: 1000,
    throttle: undefined,
    maxBytes: undefined,
    ...options,
    backend,
    reportLost,
    clock,
  });
  const send = (count: number, event: AuditEvent = testEvent()) => {
    for (let i = 0; i < count; i++) expect(sink.process(event)).toBe(true);
  };
  return { clock, batches, lost, backend, reportLost, sink, send };
}

test("a full batch is delivered at once, an incomplete one after the longest wait", () => {
  const { clock, batches, send } = setUp();
  send(4);
  expect(batches).toEqual([3]);
  clock.advance(999);
  expect(batches).toEqual([3]);
  clock.advance(1);
  expect(batches).toEqual([3, 1]);
});

test("events beyond the buffer are dropped and counted, and nobody waits", async () => {
  const delivery = Promise.withResolvers<void>();
  const { lost, send } = setUp({}, () => delivery.promise);
  send(12);
  expect(lost).toEqual(["buffered 1", "buffered 1"]);
  delivery.resolve();
  await delivery.promise;
  await new Promise(setImmediate);
  send(1);
  expect(lost).toHaveLength(2);
});

test("batches wait for the throttle", () => {
  const { clock, batches, send } = setUp({ throttle: { qps: 1, burst: 1 } });
  send(9);
  expect(batches).toEqual([3]);
  clock.advance(1000);
  expect(batches).toEqual([3, 3]);
  clock.advance(1000);
  expect(batches).toEqual([3, 3, 3]);
});

test("batches that are too large are split, and one large event is a batch", () => {
  const bytes = Buffer.byteLength(testEvent().json);
  const { clock, batches, send } = setUp({ maxBytes: bytes * 2 });
  send(3);
  clock.advance(1000);
  expect(batches).toEqual([2, 1]);
  send(1, testEvent({ userAgent: "x".repeat(bytes * 3) }));
  clock.advance(1000);
  expect(batches).toEqual([2, 1, 1]);
});

test("closing delivers what waits, failed deliveries are counted by event, later events are lost", async () => {
  const { sink, batches, lost, send } = setUp({}, () => Promise.reject(new Error("down")));
  send(5);
  await sink.close();
  expect([batches, lost]).toEqual([
    [3, 2],
    ["webhook 3", "webhook 2"],
  ]);
  send(1);
  expect(lost.at(-1)).toBe("buffered 1");
});

function setUpLog(append: () => Promise<void> = async () => undefined, bufferSize = 5) {
  const { clock, lost, reportLost } = setUp();
  const written: string[] = [];
  const log = new LogBatches({
    bufferSize,
    writer: {
      append(lines) {
        written.push(String(lines));
        return append();
      },
      close: async () => undefined,
    },
    line: ({ fields }) => `${fields.auditId}\n`,
    reportLost,
    clock,
  });
  const send = (...ids: readonly string[]) => {
    for (const auditId of ids) expect(log.process(testEvent({ auditId }))).toBe(true);
  };
  return { clock, lost, written, log, send };
}

test("the log's batches are what has arrived since the last write, and closing writes the rest", async () => {
  const delivery = Promise.withResolvers<void>();
  const { clock, lost, written, log, send } = setUpLog(() => delivery.promise);
  send("a", "b");
  expect(written).toEqual([]);
  clock.advance(50);
  expect(written).toEqual(["a\nb\n"]);
  send("c", "d", "e", "f");
  clock.advance(100);
  expect([written.length, lost]).toEqual([1, ["buffered 1"]]);
  delivery.resolve();
  await new Promise(setImmediate);
  clock.advance(50);
  expect(written).toEqual(["a\nb\n", "c\nd\ne\n"]);
  await new Promise(setImmediate);
  send("g");
  await log.close();
  expect(written).toEqual(["a\nb\n", "c\nd\ne\n", "g\n"]);
  send("h");
  expect(lost).toEqual(["buffered 1", "buffered 1"]);
});

test("lines of any length and language are written whole, and in order", async () => {
  const { written, log, send } = setUpLog(undefined, 1000);
  const ids = ["é".repeat(100_000), "x".repeat(300_000), "short", "y".repeat(80_000), "\u{1f600}".repeat(40_000), "z"];
  send(...ids);
  await log.close();
  expect(written.join("")).toBe(ids.map((id) => `${id}\n`).join(""));
});

test("a write of the log that fails loses its events only", async () => {
  const outcomes = [() => Promise.reject(new Error("full")), () => Promise.resolve()];
  const { clock, written, lost, log, send } = setUpLog(() => outcomes.shift()?.() ?? Promise.resolve());
  send("a", "b");
  clock.advance(50);
  await new Promise(setImmediate);
  send("c");
  await log.close();
  expect([written.at(-1), lost]).toEqual(["c\n", ["log 2"]]);
});

test("the bodies of waiting events are limited together; events without bodies are not", () => {
  const capacity = new BufferCapacity(3, 1000);
  const large = testEvent({ requestObject: "x".repeat(600) });
  const small = testEvent();
  expect([capacity.reserve(large), capacity.reserve(large), capacity.reserve(small)]).toEqual([true, false, true]);
  capacity.release([large]);
  expect([capacity.reserve(large), capacity.reserve(small), capacity.reserve(small)]).toEqual([true, true, false]);
});

test("events that are lost are all counted, and logged once a second", () => {
  const clock = new FakeClock();
  const counted: string[] = [];
  const logged: unknown[] = [];
  const report = lostEventReporter({
    count: (plugin, events) => void counted.push(`${plugin} ${events}`),
    logger: { error: (_error: unknown, _message: string, values: unknown) => void logged.push(values) },
    clock,
  });
  for (let i = 0; i < 3; i++) report("buffered", new Error("full"), 2);
  report("log", new Error("full"), 1);
  clock.advance(1000);
  report("buffered", new Error("full"), 1);
  expect(counted).toHaveLength(5);
  expect(logged).toEqual([
    { plugin: "buffered", events: 2 },
    { plugin: "log", events: 1 },
    { plugin: "buffered", events: 5 },
  ]);
});

test.each([
  [false, true],
  [true, false],
])("a blocking sink, strict: %s, whose event is lost, lets the request pass: %s", async (strict, passes) => {
  const { backend, reportLost, lost } = setUp({}, () => Promise.reject(new Error("full")));
  expect(await new BlockingSink(backend, strict, reportLost).process(testEvent())).toBe(passes);
  expect(lost).toEqual(["webhook 1"]);
});

test("a union waits for all of its sinks and refuses if one does", async () => {
  const sink = (result: boolean | Promise<boolean>) => ({ process: () => result });
  expect(unionSink([sink(true), sink(true)]).process(testEvent())).toBe(true);
  expect(unionSink([sink(true), sink(false)]).process(testEvent())).toBe(false);
  expect(await unionSink([sink(true), sink(Promise.resolve(false))]).process(testEvent())).toBe(false);
});

const big = `{"data":"${"x".repeat(2000)}"}`;
test.each<[string, Parameters<typeof testEvent>[0], readonly string[], readonly string[]]>([
  ["a small event stays", { requestObject: "{}" }, ["requestObject"], []],
  ["a large request goes", { requestObject: big }, ["annotations"], []],
  ["with the response", { requestObject: "{}", responseObject: big }, ["annotations"], []],
  ["what is large without them is dropped", { userAgent: big }, [], ["truncate 1"]],
])("truncation: %s", (_name, fields, want, wantLost) => {
  const kept: AuditEvent[] = [];
  const { reportLost, lost } = setUp();
  const sink = new TruncatingSink({ process: (event) => kept.push(event) > 0 }, 1000, reportLost);
  expect(sink.process(testEvent(fields))).toBe(true);
  const parsed = kept.map(({ json }): Record<string, unknown> => JSON.parse(json));
  const extra = ["requestObject", "responseObject", "annotations"].filter((key) => parsed.some((e) => key in e));
  expect([extra, lost]).toEqual([want, wantLost]);
});

test("a legacy line says what is not known, and times without zeros at the end", () => {
  const fields = {
    user: undefined,
    sourceIps: [],
    responseStatus: undefined,
    receivedAt: "2023-06-01T00:00:00.120000Z",
  };
  expect(legacyLine(testEvent(fields))).toMatch(
    /^2023-06-01T00:00:00\.12Z .* ip="<unknown>" .* user="<none>" groups="<none>" .* response="<deferred>"$/,
  );
});

test("a legacy line quotes everything that clients choose", () => {
  expect(legacyLine(testEvent({ userAgent: 'a" b\n' }))).toBe(
    '2023-06-01T00:00:00Z AUDIT: id="id-1" stage="ResponseComplete" ip="10.0.0.1" method="get" user="alice" ' +
      'groups="\\"dev\\",\\"ops\\"" as="<self>" asgroups="<lookup>" user-agent="a\\" b\\n" namespace="<none>" ' +
      'uri="/api/v1/namespaces/a/pods/x" response="200"',
  );
});
