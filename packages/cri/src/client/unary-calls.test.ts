import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { framedMessage } from "@orchernetes/http2/grpc";
import { afterEach, beforeEach, expect, test } from "vitest";
import { UnaryCalls } from "./unary-calls.ts";

let dir: string;
let path: string;
let server: Http2Server | undefined;
const sessions = new Set<ServerHttp2Session>();
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "unary-"));
  path = join(dir, "server.sock");
});
afterEach(async () => {
  await stop();
  rmSync(dir, { recursive: true });
});

/** Serves all calls on the socket. */
async function serve(answer: (stream: ServerHttp2Stream) => unknown): Promise<void> {
  const started = createServer();
  server = started;
  started.on("session", (session) => sessions.add(session));
  started.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => undefined);
    answer(stream);
  });
  await once(started.listen(path), "listening");
}

async function stop(): Promise<void> {
  for (const session of sessions) session.destroy();
  sessions.clear();
  if (server === undefined) return;
  const closed = once(server, "close");
  server.close();
  await closed;
  server = undefined;
}

/** Answers a call with these messages, and status OK. */
function respond(stream: ServerHttp2Stream, ...messages: readonly Buffer[]): void {
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  for (const message of messages) stream.write(framedMessage(message));
  stream.end();
}

const call = (calls: UnaryCalls) => calls.call("/a.B/C", Buffer.from("request"), { timeoutMs: 60_000 });

test("calls share a connection, and the next one after its end opens another", async () => {
  const calls = new UnaryCalls(path, 1000);
  await expect(call(calls)).rejects.toMatchObject({ code: 14, message: expect.stringContaining("ENOENT") });
  await serve((stream) => respond(stream, Buffer.from("response")));
  expect((await Promise.all([call(calls), call(calls)])).map(String)).toEqual(["response", "response"]);
  expect(sessions.size).toBe(1);
  await stop();
  await serve((stream) => respond(stream, Buffer.from("again")));
  await expect.poll(() => call(calls).then(String, () => "")).toBe("again");
  calls.close();
});

test.each([
  ["without a response", [], { code: 13, message: "the server sent no response" }],
  ["with two responses", [Buffer.from("a"), Buffer.from("b")], { code: 13, message: "the server sent two responses" }],
  [
    "with a response beyond the limit",
    [Buffer.alloc(1001)],
    { code: 8, message: "the server sent a message of 1001 bytes; want at most 1000" },
  ],
  ["with a response of the limit", [Buffer.alloc(1000, "x")], undefined],
])("a call that ends %s", async (_, messages, error) => {
  await serve((stream) => respond(stream, ...messages));
  const calls = new UnaryCalls(path, 1000);
  if (error === undefined) expect((await call(calls)).toString()).toBe("x".repeat(1000));
  else await expect(call(calls)).rejects.toMatchObject(error);
  calls.close();
});

test("a call that is cancelled ends on both sides; others go on", async () => {
  const streams: ServerHttp2Stream[] = [];
  await serve((stream) => streams.push(stream));
  const calls = new UnaryCalls(path, 1000);
  const end = new AbortController();
  const cancelled = calls.call("/a.B/C", Buffer.alloc(0), { timeoutMs: Number.POSITIVE_INFINITY, signal: end.signal });
  const other = call(calls);
  await expect.poll(() => streams.length).toBe(2);
  const [first, second] = streams;
  if (first === undefined || second === undefined) throw new Error("want two calls");
  const closed = once(first, "close");
  end.abort();
  await expect(cancelled).rejects.toMatchObject({ code: 1 });
  await closed;
  respond(second, Buffer.from("x"));
  expect((await other).toString()).toBe("x");
  calls.close();
});

test("a call whose signal has aborted before is cancelled at once", async () => {
  await serve(() => undefined);
  const calls = new UnaryCalls(path, 1000);
  const signal = AbortSignal.abort();
  const cancelled = calls.call("/a.B/C", Buffer.alloc(0), { timeoutMs: Number.POSITIVE_INFINITY, signal });
  await expect(cancelled).rejects.toMatchObject({ code: 1 });
  calls.close();
});

test("closing ends calls on an earlier connection, too", async () => {
  let begun = 0;
  await serve(() => begun++);
  const calls = new UnaryCalls(path, 1000);
  const earlier = calls.call("/a.B/C", Buffer.alloc(0), { timeoutMs: Number.POSITIVE_INFINITY });
  earlier.catch(() => undefined);
  await expect.poll(() => begun).toBe(1);
  // A server that is silent until a deadline is called over another connection next.
  await expect.poll(() => calls.call("/a.B/C", Buffer.alloc(0), { timeoutMs: 50 }).catch(() => sessions.size)).toBe(2);
  calls.close();
  await expect(earlier).rejects.toMatchObject({ code: 14 });
});

test("a connection without calls does not keep the process alive", async () => {
  await serve((stream) => respond(stream, Buffer.from("x")));
  const url = new URL("unary-calls.ts", import.meta.url).href;
  const program = `const { UnaryCalls } = await import(${JSON.stringify(url)});
    const calls = new UnaryCalls(${JSON.stringify(path)}, 1000);
    await calls.call("/a.B/C", Buffer.alloc(0), { timeoutMs: 60_000 });`;
  const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "-e", program], { stdio: "ignore" });
  try {
    expect(await once(child, "exit", { signal: AbortSignal.timeout(60_000) })).toEqual([0, null]);
    expect(sessions.size).toBe(1);
  } finally {
    child.kill("SIGKILL");
  }
});
