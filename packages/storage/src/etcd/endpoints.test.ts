import type { CallSink } from "@orchernetes/http2/grpc";
import { GrpcError, GrpcStatus } from "@orchernetes/http2/grpc";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { StoreError } from "../errors.ts";
import { Endpoints, isTransient } from "./endpoints.ts";
import type { Connect, GrpcTarget } from "./http2/connection.ts";

type Answer = "silent" | "empty" | GrpcError | Buffer;

/** Connections that answer as the table says, by host; records which servers were called. */
function cluster(answers: Readonly<Record<string, Answer>>, servers = Object.keys(answers)) {
  const targets: GrpcTarget[] = [];
  const calls: string[] = [];
  const timeouts: number[] = [];
  const connect: Connect = (target) => {
    targets.push(target);
    let usable = true;
    return {
      get usable() {
        return usable;
      },
      call(_path: string, _only: Uint8Array | undefined, timeoutMs: number, sink: CallSink) {
        calls.push(target.host);
        timeouts.push(timeoutMs);
        const answer = answers[target.host] ?? "silent";
        const late = setTimeout(() => sink.onEnd(new GrpcError(GrpcStatus.deadlineExceeded, "late")), timeoutMs);
        const end = (error?: GrpcError) => {
          clearTimeout(late);
          sink.onEnd(error);
        };
        if (answer !== "silent")
          queueMicrotask(() => {
            if (Buffer.isBuffer(answer)) sink.onMessage(answer);
            end(answer instanceof GrpcError ? answer : undefined);
          });
        return { send() {}, finish() {}, cancel: end };
      },
      pause() {},
      resume() {},
      close() {
        usable = false;
      },
    };
  };
  return { endpoints: new Endpoints({ servers, requestTimeoutMs: 4000, connect }), targets, calls, timeouts };
}

const down = new GrpcError(GrpcStatus.unavailable, "down");
const ok = Buffer.from("ok");
const read = (bytes: Buffer): string => bytes.toString();
const none = new Uint8Array();

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test.each<readonly [string, object]>([
  ["http://a:2379", { host: "a", port: 2379 }],
  ["a:2379", { host: "a", port: 2379 }],
  ["127.0.0.1:1", { host: "127.0.0.1", port: 1 }],
  ["http://a", { host: "a", port: 80 }],
  ["https://a", { host: "a", port: 443, tls: {} }],
  ["HTTPS://A:2379", { host: "a", port: 2379, tls: {} }],
  ["http://[::1]:2379", { host: "::1", port: 2379 }],
  ["https://a:2379/path?x", { host: "a", port: 2379, tls: {} }],
])("server %s", (server, want) => {
  const { endpoints, targets } = cluster({}, [server]);
  endpoints.stream("/s/m", { onMessage() {}, onEnd() {} });
  expect(targets).toEqual([want]);
});

test.each(["", "http://", "http://a:99999", "http://[::1", "a b:1"])("server %j is refused at once", (server) => {
  expect(() => cluster({}, ["http://good:1", server])).toThrow(TypeError);
});

test("no server at all is refused, and a file that is missing", () => {
  expect(() => cluster({})).toThrow("at least one server");
  const options = { servers: ["https://a"], caFile: "/nonexistent/ca.pem", requestTimeoutMs: 1 };
  expect(() => new Endpoints(options)).toThrow(/^etcd: cannot read "\/nonexistent\/ca.pem"/);
  expect(() => new Endpoints({ ...options, servers: ["http://a"] })).not.toThrow();
});

const failed = (promise: Promise<unknown>) =>
  promise.then(
    () => "none",
    (error: unknown) => error instanceof StoreError && error.reason,
  );

test.each<readonly [string, Readonly<Record<string, Answer>>, boolean, string, readonly string[]]>([
  ["the first server answers", { a: ok, b: ok }, true, "none", ["a"]],
  ["a read goes on to the next", { a: down, b: ok }, true, "none", ["a", "b"]],
  ["and to the one after that", { a: down, b: down, c: ok }, true, "none", ["a", "b", "c"]],
  ["a write is not repeated", { a: down, b: ok }, false, "Unavailable", ["a"]],
  ["a hanging server has its share of the time only", { a: "silent", b: ok }, true, "none", ["a", "b"]],
  ["a write may take all of it", { a: "silent", b: ok }, false, "Timeout", ["a"]],
  [
    "an error of the data is not one of the server",
    { a: new GrpcError(11, "required revision has been compacted"), b: ok },
    true,
    "Compacted",
    ["a"],
  ],
  ["an answer without a message fails the server", { a: "empty", b: ok }, true, "none", ["a", "b"]],
])("%s", async (_, answers, retry, want, called) => {
  const { endpoints, calls } = cluster(answers);
  const outcome = failed(endpoints.call("/s/m", none, read, { retry }));
  await vi.advanceTimersByTimeAsync(4000);
  expect([await outcome, calls]).toEqual([want, called]);
});

test("calls stay on the server that answered, over one connection, until it fails", async () => {
  const { endpoints, calls, targets } = cluster({ a: down, b: ok });
  expect(await failed(endpoints.call("/s/m", none, read))).toBe("Unavailable");
  for (let i = 0; i < 3; i++) expect(await endpoints.call("/s/m", none, read)).toBe("ok");
  expect([calls, targets.length]).toEqual([["a", "b", "b", "b"], 2]);
  endpoints.failed();
  expect(await failed(endpoints.call("/s/m", none, read))).toBe("Unavailable");
});

test("a read ends in time when all servers fail", async () => {
  const { endpoints, calls } = cluster({ a: down, b: down });
  const outcome = failed(endpoints.call("/s/m", none, read, { retry: true, timeoutMs: 200 }));
  await vi.advanceTimersByTimeAsync(200);
  expect([await outcome, calls]).toEqual(["Unavailable", ["a", "b", "a", "b"]]);
});

test("time limits are those of the call", async () => {
  const { endpoints, timeouts } = cluster({ a: ok, b: ok });
  await endpoints.call("/s/m", none, read);
  await endpoints.call("/s/m", none, read, { timeoutMs: 100 });
  await endpoints.call("/s/m", none, read, { timeoutMs: 100, retry: true });
  expect(timeouts).toEqual([4000, 100, 50]);
});

test("a call that is cancelled, or was before, ends as unavailable and is not repeated", async () => {
  const { endpoints, calls } = cluster({ a: "silent", b: ok });
  const controller = new AbortController();
  const outcome = failed(endpoints.call("/s/m", none, read, { signal: controller.signal, retry: true }));
  controller.abort();
  expect([await outcome, calls]).toEqual(["Unavailable", ["a"]]);
  expect(await failed(endpoints.call("/s/m", none, read, { signal: AbortSignal.abort(), retry: true }))).toBe(
    "Unavailable",
  );
  expect(calls).toEqual(["a"]);
});

test("an answer that cannot be read is an error, and a closed store has no servers", async () => {
  const { endpoints } = cluster({ a: ok });
  const nonsense = () => {
    throw new RangeError("index out of range");
  };
  await expect(endpoints.call("/s/m", none, nonsense)).rejects.toThrow("the server's message cannot be read");
  endpoints.close();
  await expect(endpoints.call("/s/m", none, read, { retry: true })).rejects.toThrow("the etcd store is closed");
  expect(() => endpoints.stream("/s/m", { onMessage() {}, onEnd() {} })).toThrow("the etcd store is closed");
});

test.each([
  [new StoreError("Unavailable", "x"), true],
  [new StoreError("Timeout", "x"), true],
  [new StoreError("Compacted", "x"), false],
  [new StoreError("NoSpace", "x"), false],
  [new Error("Unavailable"), false],
  [undefined, false],
])("%s is transient: %s", (error, want) => {
  expect(isTransient(error)).toBe(want);
});
