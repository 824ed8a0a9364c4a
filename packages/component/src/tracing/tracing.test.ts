import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:net";
import { Server as GrpcServer, ServerCredentials } from "@grpc/grpc-js";
import { type HttpRequest, type HttpResponse, silentLogger } from "@orchernetes/kernel";
import { afterEach, expect, test, vi } from "vitest";
import { respond } from "../serving/http.ts";
import { encodeExport, exportMethod } from "./otlp.ts";
import type { EndedSpan } from "./span.ts";
import { SpanQueue } from "./span-queue.ts";
import { startTracing } from "./start-tracing.ts";
import { formatTraceParent, parseTraceContext } from "./trace-context.ts";
import { tracedHandler } from "./traced-handler.ts";
import { Tracer } from "./tracer.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";

test.each([
  [`00-${traceId}-${spanId}-01`, { traceId, spanId, sampled: true }],
  [`00-${traceId}-${spanId}-00`, { traceId, spanId, sampled: false }],
  [`00-${traceId}-${spanId}-ff`, { traceId, spanId, sampled: true }],
  [`01-${traceId}-${spanId}-01-more`, { traceId, spanId, sampled: true }],
  [`00-${traceId}-${spanId}-01-more`, undefined],
  [`ff-${traceId}-${spanId}-01`, undefined],
  [`00-${"0".repeat(32)}-${spanId}-01`, undefined],
  [`00-${traceId}-${"0".repeat(16)}-01`, undefined],
  [`00-${traceId.toUpperCase()}-${spanId}-01`, undefined],
  ["nonsense", undefined],
  [undefined, undefined],
])("traceparent %s", (traceparent, want) => {
  const found = parseTraceContext({ traceparent, tracestate: "a=1" });
  expect(found).toEqual(want && { ...want, traceState: "a=1" });
});

test("a context is written as it is read", () => {
  const header = `00-${traceId}-${spanId}-01`;
  const context = parseTraceContext({ traceparent: header });
  expect(context && formatTraceParent(context)).toBe(header);
});

function recorder(samplingRatePerMillion: number, random = () => 0.5) {
  const spans: EndedSpan[] = [];
  let now = 1000;
  const tracer = new Tracer({
    samplingRatePerMillion,
    random,
    now: () => now++,
    export: (span) => void spans.push(span),
  });
  return { tracer, spans };
}

const parent = (flags: string) => ({ headers: { traceparent: `00-${traceId}-${spanId}-${flags}` } });

test.each([
  ["without a parent, below the rate", 600_000, { headers: {} }, 1],
  ["without a parent, beyond the rate", 400_000, { headers: {} }, 0],
  ["without a parent, with rate 0", 0, { headers: {} }, 0],
  ["with a sampled parent, whatever the rate", 0, parent("01"), 1],
  ["with a parent that is not sampled, whatever the rate", 1_000_000, parent("00"), 0],
])("a request %s", async (_, rate, request, count) => {
  const { tracer, spans } = recorder(rate);
  await tracer.request(request, "r", async (span) => expect(span !== undefined).toBe(count === 1));
  expect(spans).toHaveLength(count);
});

test("spans are children of what they are made in, through promises and timers, and not of others", async () => {
  const { tracer, spans } = recorder(0);
  const one = tracer.request(parent("01"), "request", async (span) => {
    span?.set({ verb: "get", absent: undefined });
    await new Promise((resolve) => setTimeout(resolve, 1));
    await tracer.span("outer", { a: 1 }, async () => {
      await Promise.resolve();
      tracer.span("inner", {}, () => undefined);
    });
    expect(tracer.traceparent()).toBe(span && formatTraceParent(span.context));
  });
  await tracer.request(parent("00"), "other", async () => tracer.span("unseen", {}, () => undefined));
  await one;
  expect(tracer.traceparent()).toBeUndefined();
  const named = (name: string) => spans.find((span) => span.name === name);
  expect(spans.map(({ name }) => name)).toEqual(["inner", "outer", "request"]);
  expect(named("request")).toMatchObject({ traceId, parentId: spanId, kind: "server" });
  expect(named("outer")).toMatchObject({ traceId, parentId: named("request")?.spanId, kind: "internal" });
  expect(named("inner")?.parentId).toBe(named("outer")?.spanId);
  expect([...(named("request")?.attributes ?? [])]).toEqual([["verb", "get"]]);
});

test.each([
  [
    "thrown",
    () => {
      throw new Error("no");
    },
  ],
  ["rejected", () => Promise.reject(new Error("no"))],
])("a failure that is %s marks the span and goes on", async (_, work) => {
  const { tracer, spans } = recorder(1_000_000);
  const run = tracer.request({ headers: {} }, "r", async () => tracer.span("s", {}, work));
  await expect(run).rejects.toThrow("no");
  expect(spans.map(({ failure }) => failure)).toEqual(["no", "no"]);
});

test("a handler's requests are spans with their outcome", async () => {
  const { tracer, spans } = recorder(1_000_000);
  const handler = tracedHandler(tracer, "daemon", (_, response) => respond(request, response, 503, {}, ""));
  const request = { method: "GET", url: "/x?token=secret", headers: {} } as HttpRequest;
  const response = {
    statusCode: 200,
    writeHead: (code: number) => Object.assign(response, { statusCode: code }),
    end() {},
  };
  await handler(request, response as unknown as HttpResponse);
  expect([...(spans[0]?.attributes ?? [])]).toEqual([
    ["http.method", "GET"],
    ["http.target", "/x"],
    ["http.status_code", 503],
  ]);
  expect(spans[0]).toMatchObject({ name: "daemon", failure: "HTTP status 503" });
});

const span = (name: string): EndedSpan => ({
  traceId,
  spanId,
  parentId: "",
  traceState: "",
  name,
  kind: "server",
  startMs: 1_700_000_000_000.25,
  endMs: 1_700_000_000_001,
  attributes: new Map<string, string | number | boolean>([["n", -1]]),
  failure: "broken",
});

test("the wire format is OTLP's", () => {
  // Resource spans > (resource > attribute, scope spans > (scope, span)), each field by its number in the protocol.
  const time = (nanos: bigint) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(nanos);
    return bytes;
  };
  const bytes = (field: number, ...parts: readonly (Buffer | string)[]) => {
    const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
    const length = body.length < 128 ? [body.length] : [(body.length & 127) | 128, body.length >> 7];
    return Buffer.from([field * 8 + 2, ...length, ...body]);
  };
  const minusOne = Buffer.from([3 * 8, ...Array(9).fill(255), 1]);
  const want = bytes(
    1,
    bytes(1, bytes(1, bytes(1, "service.name"), bytes(2, bytes(1, "x")))),
    bytes(
      2,
      bytes(1, bytes(1, "orchernetes"), bytes(2, "v1")),
      bytes(
        2,
        bytes(1, Buffer.from(traceId, "hex")),
        bytes(2, Buffer.from(spanId, "hex")),
        bytes(5, "get"),
        Buffer.from([6 * 8, 2]),
        Buffer.from([7 * 8 + 1, ...time(1_700_000_000_000_250_000n)]),
        Buffer.from([8 * 8 + 1, ...time(1_700_000_000_001_000_000n)]),
        bytes(9, bytes(1, "n"), bytes(2, minusOne)),
        bytes(15, bytes(2, "broken"), Buffer.from([3 * 8, 2])),
      ),
    ),
  );
  expect(encodeExport({ "service.name": "x" }, "v1", [span("get")]).toString("hex")).toBe(want.toString("hex"));
});

test("a queue sends in batches, one at a time, and loses what does not fit", async () => {
  const batches: number[] = [];
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const send = async (spans: readonly EndedSpan[]) => {
    batches.push(spans.length);
    await gate;
  };
  const warn = vi.fn();
  const logger = { ...silentLogger, warn };
  const queue = new SpanQueue({ send, logger, maxQueued: 5, maxBatch: 3, delayMs: 60_000 });
  for (let i = 0; i < 20; i++) queue.add(span(String(i)));
  // The first batch is on its way; behind it the queue has filled.
  expect([batches, queue.length]).toEqual([[3], 5]);
  release();
  await queue.flush();
  expect([batches, queue.length]).toEqual([[3, 3, 2], 0]);
  expect(warn).toHaveBeenCalledWith(expect.any(String), { lost: 12 });
});

test("a delivery that fails loses its batch, is logged once in a while, and others are tried", async () => {
  const error = vi.fn();
  const send = vi.fn().mockRejectedValue(new Error("gone"));
  const queue = new SpanQueue({ send, logger: { ...silentLogger, error }, maxBatch: 1, delayMs: 60_000 });
  queue.add(span("a"));
  await queue.flush();
  queue.add(span("b"));
  await queue.flush();
  expect([send.mock.calls.length, error.mock.calls.length, queue.length]).toEqual([2, 1, 0]);
});

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

test("spans reach a collector over gRPC", async () => {
  const received: Buffer[] = [];
  const collector = new GrpcServer();
  const pass = (bytes: Buffer) => bytes;
  const method = {
    path: exportMethod,
    requestStream: false,
    responseStream: false,
    requestSerialize: pass,
    requestDeserialize: pass,
    responseSerialize: pass,
    responseDeserialize: pass,
  };
  collector.addService(
    { Export: method },
    {
      Export: (call: { request: Buffer }, answer: (error: null, bytes: Buffer) => void) => {
        received.push(call.request);
        answer(null, Buffer.alloc(0));
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) =>
    collector.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  closing.push(() => collector.forceShutdown());
  const end = new AbortController();
  const tracer = await startTracing({
    service: "test",
    configuration: { endpoint: `127.0.0.1:${port}`, samplingRatePerMillion: 1_000_000 },
    logger: silentLogger,
    signal: end.signal,
    queue: { maxBatch: 2 },
  });
  await tracer.request({ headers: {} }, "first", async () => tracer.span("second", {}, () => undefined));
  await vi.waitFor(() => expect(received).toHaveLength(1), 10_000);
  for (const text of ["service.name", "test", "first", "second"]) expect(received[0]?.includes(text)).toBe(true);
  await tracer.request({ headers: {} }, "last", async () => undefined);
  end.abort();
  await vi.waitFor(() => expect(received[1]?.includes("last")).toBe(true), 10_000);
});

test("a collector that accepts and never answers holds nothing up", async () => {
  const silent: Server = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const end = new AbortController();
  closing.push(
    () => silent.close(),
    () => end.abort(),
  );
  const tracer = await startTracing({
    service: "test",
    configuration: {
      endpoint: `127.0.0.1:${(silent.address() as AddressInfo).port}`,
      samplingRatePerMillion: 1_000_000,
    },
    logger: silentLogger,
    signal: end.signal,
    queue: { maxQueued: 10, maxBatch: 2, delayMs: 1 },
  });
  for (let i = 0; i < 1000; i++) expect(await tracer.request({ headers: {} }, "r", async () => i)).toBe(i);
});
