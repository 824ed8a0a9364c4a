import { execFileSync } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:net";
import { fileURLToPath } from "node:url";
import { Server as GrpcServer, ServerCredentials } from "@grpc/grpc-js";
import { SpanKind } from "@opentelemetry/api";
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from "@opentelemetry/sdk-trace";
import { respond } from "@orchernetes/component";
import { type HttpRequest, type HttpResponse, silentLogger } from "@orchernetes/kernel";
import { afterEach, expect, test, vi } from "vitest";
import { exportMethod } from "./otlp.ts";
import { SpanQueue } from "./span-queue.ts";
import { startTracing } from "./start-tracing.ts";
import { tracedHandler } from "./traced-handler.ts";
import { Tracer } from "./tracer.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";

function recorder(samplingRatePerMillion: number, random = () => 0.5) {
  const exporter = new InMemorySpanExporter();
  const tracer = new Tracer({ samplingRatePerMillion, random, processor: new SimpleSpanProcessor({ exporter }) });
  return {
    tracer,
    spans: () =>
      exporter.getFinishedSpans().map((span) => ({
        name: span.name,
        traceId: span.spanContext().traceId,
        spanId: span.spanContext().spanId,
        traceState: span.spanContext().traceState?.serialize(),
        parentId: span.parentSpanContext?.spanId,
        kind: SpanKind[span.kind].toLowerCase(),
        attributes: Object.entries(span.attributes),
        failure: span.status.message,
      })),
  };
}

test.each([
  [`00-${traceId}-${spanId}-01`, true],
  [`00-${traceId}-${spanId}-00`, false],
  [`00-${traceId}-${spanId}-ff`, true],
  [`01-${traceId}-${spanId}-01-more`, true],
  [`00-${traceId}-${spanId}-01-more`, undefined],
  [`ff-${traceId}-${spanId}-01`, undefined],
  [`00-${"0".repeat(32)}-${spanId}-01`, undefined],
  [`00-${traceId}-${"0".repeat(16)}-01`, undefined],
  [`00-${traceId.toUpperCase()}-${spanId}-01`, undefined],
  ["nonsense", undefined],
  [undefined, undefined],
])("traceparent %s", async (traceparent, sampled) => {
  // What is no parent leaves the decision to the rate.
  for (const rate of [0, 1_000_000]) {
    const { tracer, spans } = recorder(rate);
    await tracer.request({ headers: { traceparent, tracestate: "a=1" } }, "r", async () => undefined);
    const isSampled = sampled ?? rate > 0;
    expect(spans()).toHaveLength(isSampled ? 1 : 0);
    const child = { traceId, parentId: spanId, traceState: "a=1" };
    if (isSampled && sampled !== undefined) expect(spans()[0]).toMatchObject(child);
    if (isSampled && sampled === undefined)
      expect(spans()[0]).toMatchObject({ parentId: undefined, traceState: undefined });
  }
});

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
  expect(spans()).toHaveLength(count);
});

test("spans are children of the span in which they start, through promises and timers, and of no other", async () => {
  const { tracer, spans } = recorder(0);
  let present: string | undefined;
  const one = tracer.request(parent("01"), "request", async (span) => {
    span?.set({ verb: "get", absent: undefined });
    await new Promise((resolve) => setTimeout(resolve, 1));
    await tracer.span("outer", { a: 1 }, async () => {
      await Promise.resolve();
      tracer.span("inner", {}, () => undefined);
    });
    present = tracer.traceparent();
  });
  await tracer.request(parent("00"), "other", async () => tracer.span("unseen", {}, () => undefined));
  await one;
  expect(tracer.traceparent()).toBeUndefined();
  const named = (name: string) => spans().find((span) => span.name === name);
  expect(present).toBe(`00-${traceId}-${named("request")?.spanId}-01`);
  expect(spans().map(({ name }) => name)).toEqual(["inner", "outer", "request"]);
  expect(named("request")).toMatchObject({ traceId, parentId: spanId, kind: "server" });
  expect(named("outer")).toMatchObject({ traceId, parentId: named("request")?.spanId, kind: "internal" });
  expect(named("inner")?.parentId).toBe(named("outer")?.spanId);
  expect(named("request")?.attributes).toEqual([["verb", "get"]]);
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
  expect(spans().map(({ failure }) => failure)).toEqual(["no", "no"]);
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
  expect(spans()[0]?.attributes).toEqual([
    ["http.method", "GET"],
    ["http.target", "/x"],
    ["http.status_code", 503],
  ]);
  expect(spans()[0]).toMatchObject({ name: "daemon", failure: "HTTP status 503" });
});

test("texts and attributes of a span have limits", async () => {
  const { tracer, spans } = recorder(1_000_000);
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`a${i}`, "x".repeat(5000)]));
  const run = tracer.request({ headers: {} }, "r", async (span) => {
    span?.set(many);
    throw new Error("y".repeat(5000));
  });
  await expect(run).rejects.toThrow("yyy");
  const [span] = spans();
  expect(span?.attributes).toHaveLength(128);
  expect(span?.attributes[0]).toEqual(["a0", "x".repeat(4096)]);
  expect(span?.failure).toBe("y".repeat(4096));
});

/** Lets spans end at a queue. */
const adding = (queue: SpanQueue) => {
  const tracer = new Tracer({ samplingRatePerMillion: 1_000_000, processor: queue });
  return () => tracer.request({ headers: {} }, "r", async () => undefined);
};

test("a queue sends in batches, one at a time, and drops what does not fit", async () => {
  const batches: number[] = [];
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const send = async (spans: readonly ReadableSpan[]) => {
    batches.push(spans.length);
    await gate;
  };
  const warn = vi.fn();
  const logger = { ...silentLogger, warn };
  const queue = new SpanQueue({ send, logger, maxQueued: 5, maxBatch: 3, delayMs: 60_000 });
  const add = adding(queue);
  for (let i = 0; i < 20; i++) await add();
  // The first batch is on its way; behind it the queue has filled.
  expect([batches, queue.length]).toEqual([[3], 5]);
  release();
  await queue.forceFlush();
  expect([batches, queue.length]).toEqual([[3, 3, 2], 0]);
  expect(warn).toHaveBeenCalledWith(expect.any(String), { lost: 12 });
});

test("a failed delivery drops its batch, is logged once in a while, and the next batch is sent", async () => {
  const error = vi.fn();
  const send = vi.fn().mockRejectedValue(new Error("gone"));
  const queue = new SpanQueue({ send, logger: { ...silentLogger, error }, maxBatch: 1, delayMs: 60_000 });
  const add = adding(queue);
  await add();
  await queue.forceFlush();
  await add();
  await queue.forceFlush();
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

test("a collector that accepts and never answers blocks nothing, and cannot push responses", async () => {
  const sent = Promise.withResolvers<Buffer>();
  const silent: Server = createServer((socket) => socket.once("data", sent.resolve)).listen(0, "127.0.0.1");
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
  // The setting of HTTP/2 by which a client refuses them: number 2 is 0.
  expect((await sent.promise).includes(Buffer.from([0, 2, 0, 0, 0, 0]))).toBe(true);
});

test("OpenTelemetry and gRPC are loaded only if tracing is enabled", () => {
  const index = fileURLToPath(new URL("index.ts", import.meta.url));
  const program = `
    import { registerHooks } from "node:module";
    let loaded = 0;
    registerHooks({ resolve(specifier, context, next) {
      const found = next(specifier, context);
      if (/\\/node_modules\\/@(opentelemetry|grpc)\\//.test(found.url)) loaded++;
      return found;
    } });
    const { startTracing } = await import(${JSON.stringify(index)});
    const before = loaded;
    const end = new AbortController();
    await startTracing({ service: "x", configuration: {}, logger: console, signal: end.signal });
    end.abort();
    console.log(JSON.stringify({ before, after: loaded > 0 }));`;
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  expect(JSON.parse(output)).toEqual({ before: 0, after: true });
});
