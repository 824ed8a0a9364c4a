import { type AddressInfo, createServer, type LookupFunction, type Server, type Socket } from "node:net";
import type { CriClient } from "@orchernetes/cri";
import { afterEach, expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { runHandler } from "./handlers.ts";

const servers: Server[] = [];
const sockets = new Set<Socket>();
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  for (const socket of sockets) socket.destroy();
});

/** Serves connections whose first bytes were read. */
async function serve(answer: (socket: Socket, request: string) => unknown): Promise<number> {
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    socket.once("data", (data: Buffer) => {
      socket.resume();
      answer(socket, data.toString("latin1"));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** Sends a chunk for as long as the client reads. */
function sendForever(socket: Socket, chunk: string | Buffer): void {
  const more = () => {
    if (!socket.destroyed) socket.write(chunk, () => setImmediate(more));
  };
  more();
}

function frame(type: number, flags: number, stream: number, payload: readonly number[] = []): Buffer {
  return Buffer.from([0, 0, payload.length, type, flags, 0, 0, 0, stream, ...payload]);
}
const settings = frame(4, 0, 0);

const [container] = testPod({}).spec.containers;
if (container === undefined) throw new Error("the test pod has no container");
const never = new AbortController().signal;
/** As long as the API allows: only the limits of the agent end the check. */
const longest = 2_147_483;
const check = (handler: object, signal = never, timeoutSeconds = longest, lookup?: LookupFunction) =>
  runHandler(
    handler,
    { containerId: "c", container, podIP: "127.0.0.1" },
    { cri: {} as CriClient, timeoutSeconds, signal, ...(lookup && { lookup }) },
  );
const closed = () => expect.poll(() => sockets.size, { timeout: 10_000 }).toBe(0);

test.each([
  ["with an error", 1, 0],
  ["with an error, after a while", 1, 300],
  ["a hundred times", 100, 0],
])("a gRPC server that pushes a response %s does not end the agent", async (_, times, waitMs) => {
  const port = await serve(async (socket) => {
    socket.write(settings);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    for (let pushed = 2; pushed < 2 + 2 * times; pushed += 2) {
      socket.write(frame(5, 4, 1, [0, 0, 0, pushed, 0x82, 0x86, 0x84, 0x41, 1, 97]));
      socket.write(Buffer.concat([frame(1, 4, pushed, [0x88]), frame(3, 0, pushed, [0, 0, 0, 2])]));
    }
  });
  expect(await check({ grpc: { port } }, never, 3)).toMatchObject({ outcome: "failure" });
  await closed();
});

const interim = (status: string) => `HTTP/1.1 ${status}\r\nlink: <x>\r\n\r\n`.repeat(1000);

test.each([
  ["interim responses", interim("103 Early Hints")],
  ["permissions to continue", interim("100 Continue")],
  ["zeros in the size of a chunk", "0".repeat(60_000)],
])("an HTTP server that sends endless %s fails the probe, however long its time limit is", async (_, chunk) => {
  const port = await serve((socket) => {
    if (chunk.startsWith("0")) socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    sendForever(socket, chunk);
  });
  expect(await check({ httpGet: { port, path: "/" } })).toEqual({
    outcome: "failure",
    message: expect.stringContaining("the server has sent more than 1048576 bytes"),
  });
  await closed();
});

test.each([
  ["updates of windows", frame(8, 0, 0, [0, 0, 0, 1])],
  ["alternative services", frame(10, 0, 0, [0, 1, 97, 98, 99, 100])],
])("a gRPC server that sends endless %s fails the probe, however long its time limit is", async (_, one) => {
  const port = await serve((socket) => {
    socket.write(settings);
    sendForever(socket, Buffer.concat(Array.from({ length: 3000 }, () => one)));
  });
  expect(await check({ grpc: { port } })).toMatchObject({ outcome: "failure" });
  await closed();
});

test.each([
  ["followed", "/ok"],
  ["not followed", "gopher://127.0.0.1/"],
])("an endless body of a redirect that is %s is not read after the check", async (_, location) => {
  const port = await serve((socket, request) => {
    if (request.startsWith("GET /ok")) return void socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    socket.write(`HTTP/1.1 302 Found\r\nlocation: ${location}\r\n\r\n`);
    sendForever(socket, "x".repeat(60_000));
  });
  const result = await check({ httpGet: { port, path: "/" } });
  expect(result.outcome).toBe(location === "/ok" ? "success" : "failure");
  await closed();
});

test.each([
  ["gRPC", (port: number) => ({ grpc: { port } })],
  ["HTTP", (port: number) => ({ httpGet: { port, path: "/" } })],
])("a %s check that waits ends, with its connection, when its container does", async (_, handler) => {
  const port = await serve(() => undefined);
  const container = new AbortController();
  const waiting = check(handler(port), container.signal);
  await expect.poll(() => sockets.size).toBe(1);
  container.abort(new Error("the container has ended"));
  await waiting.catch(() => undefined);
  await closed();
});

test("a TCP check that waits ends when its container does, and connects to nothing afterwards", async () => {
  let found: (() => void) | undefined;
  const lookup: LookupFunction = (_name, { all }, answer) => {
    found = () => (all ? answer(null, [{ address: "127.0.0.1", family: 4 }]) : answer(null, "127.0.0.1", 4));
  };
  const port = await serve(() => undefined);
  let connections = 0;
  servers.at(-1)?.on("connection", () => connections++);
  const container = new AbortController();
  const waiting = check({ tcpSocket: { port, host: "slow.example" } }, container.signal, longest, lookup);
  await expect.poll(() => found).toBeDefined();
  container.abort(new Error("the container has ended"));
  await expect(waiting).rejects.toThrow("the container has ended");
  found?.();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(connections).toBe(0);
});
