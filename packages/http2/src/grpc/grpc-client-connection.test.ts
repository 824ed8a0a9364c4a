import { once } from "node:events";
import { createServer, type Http2Server } from "node:http2";
import { type AddressInfo, connect } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { GrpcClientConnection } from "./grpc-client-connection.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** Makes a server listen, and connects to it. */
async function connectTo(server: Http2Server, pings: boolean): Promise<GrpcClientConnection> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return new GrpcClientConnection({
    headersOf: (path) => [
      [":method", "POST"],
      [":scheme", "http"],
      [":path", path],
      [":authority", "localhost"],
    ],
    dial: (_signal, { onSocket, onError }) => {
      const socket = connect({ port, host: "127.0.0.1" }, () => onSocket(socket)).once("error", onError);
    },
    pings,
  });
}

test.each([
  ["is pinged", true, 1],
  ["is not pinged without pings", false, 0],
])("a server that is silent for a minute %s", async (_, pings, want) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const server = createServer();
  let pinged = 0;
  let called = 0;
  server.on("session", (session) => session.on("ping", () => pinged++));
  server.on("stream", (stream) => {
    called++;
    stream.on("error", () => undefined);
  });
  const connection = await connectTo(server, pings);
  const ended = Promise.withResolvers<unknown>();
  connection.call("/a.B/C", Buffer.alloc(0), 90_000, { onMessage: () => undefined, onEnd: ended.resolve });
  await vi.waitFor(() => expect(called).toBe(1));
  await vi.advanceTimersByTimeAsync(45_000);
  await vi.waitFor(() => expect(pinged).toBe(want));
  await vi.advanceTimersByTimeAsync(60_000);
  // Its deadline ends the call in any case.
  expect(await ended.promise).toMatchObject({ code: 4 });
  connection.close();
  server.close();
});

test("a deadline beyond the longest timer does not keep the process busy", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const connection = new GrpcClientConnection({ headersOf: () => [], dial: () => undefined, pings: false });
  const timers = vi.spyOn(globalThis, "setTimeout");
  connection.call("/a.B/C", Buffer.alloc(0), 1e13, { onMessage: () => undefined, onEnd: () => undefined });
  await vi.advanceTimersByTimeAsync(1000);
  expect(timers.mock.calls.map(([, ms]) => ms)).toEqual([2 ** 31 - 1]);
  timers.mockRestore();
  connection.close();
});

test("calls that wait on a connection that does not respond fail when it accepts no more of them", async () => {
  const server = createServer({ settings: { maxConcurrentStreams: 1 } });
  server.on("stream", (stream) => stream.on("error", () => undefined));
  const connection = await connectTo(server, false);
  const call = (timeoutMs: number): Promise<unknown> =>
    new Promise((resolve) =>
      connection.call("/a.B/C", Buffer.alloc(0), timeoutMs, { onMessage: () => undefined, onEnd: resolve }),
    );
  // It has no deadline, so that the connection does not end.
  const endless = call(Number.POSITIVE_INFINITY);
  await vi.waitFor(() => expect(connection.receivedMs).toBeDefined());
  // Until its settings have arrived, which allow only one stream.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const ended: string[] = [];
  const late = call(200).then(() => ended.push("late"));
  const waiting = call(3_600_000).then((error) => ended.push(String(error)));
  await late;
  await vi.waitFor(() => expect(ended).toEqual(["late", expect.stringContaining("does not respond")]));
  expect(connection.usable).toBe(false);
  connection.close();
  server.close();
  await Promise.all([endless, waiting]);
});
