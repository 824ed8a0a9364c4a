import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, get, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { silentLogger } from "@orchernetes/kernel";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { stalledTree } from "./block-profile.ts";
import { serveDebugSocket } from "./debug-socket.ts";
import { encodePprof } from "./encode-pprof.ts";
import { createPprofHandler } from "./pprof-handler.ts";

type Message = ReadonlyMap<number, readonly (number | Buffer)[]>;

/** Decodes one protobuf message of varints and bytes. */
function decode(bytes: Buffer): Message {
  const fields = new Map<number, (number | Buffer)[]>();
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error("cut short");
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const key = varint();
    const field = Math.floor(key / 8);
    let value: number | Buffer;
    if (key % 8 === 0) value = varint();
    else {
      const length = varint();
      value = bytes.subarray(at, at + length);
      if (value.length !== length || key % 8 !== 2) throw new Error("not valid");
      at += length;
    }
    fields.set(field, [...(fields.get(field) ?? []), value]);
  }
  return fields;
}

function packed(value: number | Buffer | undefined): number[] {
  const values: number[] = [];
  let current = 0;
  let factor = 1;
  for (const byte of value as Buffer) {
    current += (byte & 127) * factor;
    factor *= 128;
    if (byte < 128) {
      values.push(current);
      current = 0;
      factor = 1;
    }
  }
  return values;
}

/** What a pprof reader sees: types of values, and the stacks by function name, leaf first, with their values. */
function readPprof(file: Buffer) {
  const profile = decode(gunzipSync(file));
  const messages = (field: number) => (profile.get(field) ?? []).map((bytes) => decode(bytes as Buffer));
  const strings = (profile.get(6) ?? []).map(String);
  const number = (message: Message | undefined, field: number) => Number(message?.get(field)?.[0] ?? 0);
  const functions = new Map(messages(5).map((f) => [number(f, 1), strings[number(f, 2)]]));
  const locations = new Map(
    messages(4).map((l) => [number(l, 1), functions.get(number(decode(l.get(4)?.[0] as Buffer), 1))]),
  );
  return {
    emptyFirst: strings[0] === "",
    types: messages(1).map((t) => [strings[number(t, 1)], strings[number(t, 2)]].join("/")),
    samples: messages(2).map((s) => ({
      stack: packed(s.get(1)?.[0]).map((id) => locations.get(id)),
      values: packed(s.get(2)?.[0]),
    })),
    period: number(profile, 12),
    durationNanos: number(profile, 10),
  };
}

let server: Server;
let base = "";
const contended = createPprofHandler({ contention: true });
const plain = createPprofHandler();
beforeAll(async () => {
  server = createServer(async (request, response) => {
    const handler = request.headers["x-contention"] === "no" ? plain : contended;
    if (!(await handler(request, response))) response.writeHead(404).end("elsewhere");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Holds the event loop, in a function that profiles can name. */
function burnLoudly(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end) JSON.parse(JSON.stringify({ a: [1, 2, 3] }));
}

async function whileBusy<T>(wanted: Promise<T>, work: () => void): Promise<T> {
  const timer = setInterval(work, 60);
  try {
    return await wanted;
  } finally {
    clearInterval(timer);
  }
}

const fetchBytes = async (path: string) => Buffer.from(await (await fetch(base + path)).arrayBuffer());

test("an encoded profile has the stacks and values of its tree", async () => {
  const frame = (functionName: string) => ({ functionName, url: "file:///a.ts", lineNumber: 4 });
  const file = await encodePprof({
    sampleTypes: [["cpu", "nanoseconds"]],
    root: {
      frame: frame("(root)"),
      children: [
        {
          frame: frame("outer"),
          values: [5],
          children: [{ frame: frame("inner"), values: [2 ** 40], children: [] }],
        },
        { frame: frame("unmeasured"), values: [0], children: [] },
      ],
    },
    startedMs: 1,
    durationMs: 2000,
    period: { type: ["cpu", "nanoseconds"], value: 1000 },
  });
  expect(readPprof(file)).toEqual({
    emptyFirst: true,
    types: ["cpu/nanoseconds"],
    samples: [
      { stack: ["outer"], values: [5] },
      { stack: ["inner", "outer"], values: [2 ** 40] },
    ],
    period: 1000,
    durationNanos: 2e9,
  });
});

test("a CPU profile names the busy functions, and a concurrent one is rejected", async () => {
  const wanted = fetchBytes("/debug/pprof/profile?seconds=0.6");
  const second = new Promise<number>((resolve) =>
    setTimeout(async () => resolve((await fetch(`${base}/debug/pprof/heap?seconds=0.1`)).status), 150),
  );
  const { types, samples, durationNanos } = readPprof(await whileBusy(wanted, () => burnLoudly(30)));
  expect(types).toEqual(["samples/count", "cpu/nanoseconds"]);
  const busy = samples.filter(({ stack }) => stack.includes("burnLoudly"));
  expect(busy.reduce((sum, { values }) => sum + (values[1] ?? 0), 0)).toBeGreaterThan(50e6);
  expect(samples.some(({ stack }) => stack.includes("(idle)"))).toBe(false);
  expect(durationNanos).toBeGreaterThan(500e6);
  expect(await second).toBe(409);
});

test.each([
  ["heap", "inuse_space/bytes"],
  ["allocs", "alloc_space/bytes"],
])("%s tells who allocates", async (name, type) => {
  const kept: object[] = [];
  const allocateLoudly = () => {
    for (let i = 0; i < 50_000; i++) kept.push({ i, text: `${i}` });
  };
  const { types, samples } = readPprof(await whileBusy(fetchBytes(`/debug/pprof/${name}?seconds=0.4`), allocateLoudly));
  expect(types).toContain(type);
  const mine = samples.filter(({ stack }) => stack.includes("allocateLoudly"));
  expect(mine.reduce((sum, { values }) => sum + (values[1] ?? 0), 0)).toBeGreaterThan(1e6);
  expect(kept.length).toBeGreaterThan(0);
});

test("a block profile counts only the times in which the loop was stalled", async () => {
  const { types, samples } = readPprof(
    await whileBusy(fetchBytes("/debug/pprof/block?seconds=0.5"), () => burnLoudly(40)),
  );
  expect(types).toEqual(["contentions/count", "delay/nanoseconds"]);
  expect(samples.some(({ stack }) => stack.includes("burnLoudly"))).toBe(true);
  const node = { id: 1, callFrame: { functionName: "f", scriptId: "0", url: "", lineNumber: 0, columnNumber: 0 } };
  const profile = {
    nodes: [
      { ...node, children: [2] },
      { ...node, id: 2 },
    ],
    startTime: 0,
    endTime: 50,
    samples: [2, 2, 2, 2],
    timeDeltas: [10, 10, 10, 10],
  };
  const tree = stalledTree({ startedMs: 0, profile }, [
    [15, 25],
    [28, 35],
  ]);
  expect(tree.root.children[0]?.values).toEqual([2, 20_000]);
});

test.each([
  ["/debug/pprof/", 200, "text/html", "goroutine"],
  ["/debug/pprof/goroutine?debug=1", 200, "text/plain", " @ "],
  ["/debug/pprof/cmdline", 200, "text/plain", process.argv[0] ?? ""],
  ["/debug/pprof/symbol", 200, "text/plain", "num_symbols: 1"],
  ["/debug/pprof/trace?seconds=0.05", 200, "application/json", '{"traceEvents":['],
  ["/debug/pprof/profile?seconds=0.05&debug=devtools", 200, "application/json", '"timeDeltas"'],
  ["/debug/pprof/heap?seconds=0.05&debug=devtools", 200, "application/json", '"selfSize"'],
  ["/debug/pprof/profile?seconds=-1", 400, "text/plain", "want a number above 0 and at most 600"],
  ["/debug/pprof/profile?seconds=x", 400, "text/plain", '"x"'],
  ["/debug/pprof/nope", 404, "text/plain", 'unknown profile "nope"'],
  ["/debug/other", 404, "", "elsewhere"],
])("GET %s", async (path, status, type, content) => {
  const answer = await fetch(base + path);
  expect(answer.status).toBe(status);
  expect(answer.headers.get("content-type") ?? "").toContain(type);
  expect(await answer.text()).toContain(content);
});

test("without contention profiling there is no block profile", async () => {
  const answer = await fetch(`${base}/debug/pprof/block`, { headers: { "x-contention": "no" } });
  expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining("--contention-profiling")]);
});

const directory = mkdtempSync(join(tmpdir(), "debug-"));
const ends: AbortController[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end.abort();
});
afterAll(() => rmSync(directory, { recursive: true }));

function overSocket(socketPath: string, path: string): Promise<number> {
  return new Promise((resolve, reject) =>
    get({ socketPath, path }, (response) => resolve(response.resume().statusCode ?? 0)).on("error", reject),
  );
}

test("the debug socket is accessible to its owner only, replaces a stale one, and is removed with its signal", async () => {
  const path = join(directory, "socket");
  const open = async () => {
    const end = new AbortController();
    ends.push(end);
    await serveDebugSocket({ path, handlers: [plain], logger: silentLogger, signal: end.signal });
    return end;
  };
  await open();
  expect((statSync(path).mode & 0o777).toString(8)).toBe("600");
  const second = await open();
  expect(await overSocket(path, "/debug/pprof/symbol")).toBe(200);
  expect(await overSocket(path, "/metrics")).toBe(404);
  second.abort();
  await expect
    .poll(() => overSocket(path, "/debug/pprof/symbol").catch((error: Error) => error.message))
    .toMatch(/ENOENT|ECONNREFUSED/);
});

test("a file that is not a socket stays", async () => {
  const path = join(directory, "file");
  writeFileSync(path, "precious");
  const options = { path, handlers: [plain], logger: silentLogger, signal: new AbortController().signal };
  await expect(serveDebugSocket(options)).rejects.toThrow("exists and is no socket");
});
