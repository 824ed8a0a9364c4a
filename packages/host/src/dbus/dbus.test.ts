import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connectBus, DbusError, systemBusSocket } from "./bus-connection.ts";
import { decodeMessage, encodeMessage, messageBytes, messageTypes } from "./message.ts";
import { completeTypes, type DbusValue } from "./signature.ts";
import { startFakeBus } from "./testing/index.ts";

let dir: string;
const closers: (() => unknown)[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-dbus-"));
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  rmSync(dir, { recursive: true });
});

const bus = { destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus" };

test.each<[string, readonly DbusValue[]]>([
  ["ybnqiuxtdsog", [255, true, -2, 65535, -70000, 4e9, -5n, 2n ** 63n, 1.5, "text", "/a/b", "a{sv}"]],
  [
    "a(su)",
    [
      [
        ["a", 1],
        ["b", 2],
      ],
    ],
  ],
  [
    "a{sv}y",
    [
      [
        ["k", { signature: "as", value: ["x", "y"] }],
        ["l", { signature: "t", value: 7n }],
      ],
      9,
    ],
  ],
  ["(y(xs))ai", [[1, [2n, "é"]], []]],
  ["aax", [[[1n], [], [2n, 3n]]]],
])("values of %s are read as they were written", (signature, body) => {
  const bytes = encodeMessage({
    type: messageTypes.signal,
    serial: 7,
    path: "/a",
    interface: "a.b",
    member: "M",
    signature,
    body,
  });
  expect(messageBytes(bytes)).toBe(bytes.length);
  expect(decodeMessage(bytes)).toMatchObject({ serial: 7, path: "/a", member: "M", signature, body });
});

test("messages of any size are read as they were written", () => {
  const signature = "sybnqiuxtdsoga{sv}";
  const rest: readonly DbusValue[] = [
    ...[255, true, -2, 65535, -70000, 4e9, -5n, 2n ** 63n, 1.5, "text", "/a/b", "a{sv}"],
    [["k", { signature: "t", value: 7n }]],
  ];
  // The memory that messages are written to grows at different places.
  for (let length = 0; length < 600; length++) {
    const body = ["x".repeat(length), ...rest];
    const bytes = encodeMessage({ type: messageTypes.signal, serial: 1, path: "/a", signature, body });
    expect(decodeMessage(bytes).body).toEqual(body);
  }
});

test.each(["a", "(", "(s", "()", "{sv}}", "{s}", "z", "a".repeat(300)])("%s is no signature", (signature) => {
  expect(() => completeTypes(signature)).toThrow();
});

test("a message that is cut or lies about its size is an error", () => {
  const bytes = encodeMessage({
    type: messageTypes.reply,
    serial: 1,
    replySerial: 1,
    signature: "as",
    body: [["text"]],
  });
  for (let length = 16; length < bytes.length; length++)
    expect(() => decodeMessage(bytes.subarray(0, length))).toThrow();
  const huge = Buffer.from(bytes);
  huge.writeUInt32LE(2 ** 31, 4);
  expect(() => messageBytes(huge)).toThrow(/at most 1048576 are read/);
  expect(() => messageBytes(Buffer.from("HTTP/1.1 400 Bad Request"))).toThrow(/does not speak D-Bus/);
});

test("a method's result, its error and signals arrive; an ended connection fails calls", async () => {
  const fake = await startFakeBus(join(dir, "bus"), ({ member, body = [] }) => {
    if (member === "Echo") return { signature: "s", body };
    return member === "Fail" ? new Error("not now") : undefined;
  });
  closers.push(() => fake.close());
  const connection = await connectBus(fake.socketPath);
  const at = { destination: "a.b", path: "/a", interface: "a.b" };
  expect(await connection.call({ ...at, member: "Echo", signature: "s", body: ["hi"] })).toEqual(["hi"]);
  await expect(connection.call({ ...at, member: "Fail" })).rejects.toThrow(
    "org.freedesktop.DBus.Error.Failed: not now",
  );
  await expect(connection.call({ ...at, member: "Other" })).rejects.toBeInstanceOf(DbusError);
  const seen: unknown[] = [];
  await connection.subscribe({ path: "/a", interface: "a.b", member: "Changed" }, (body) => seen.push(body));
  fake.signal({ path: "/a", interface: "a.b", member: "Changed" }, { signature: "b", body: [true] });
  fake.signal({ path: "/a", interface: "a.b", member: "Other" }, { signature: "b", body: [true] });
  await expect.poll(() => seen).toEqual([[true]]);
  fake.disconnect();
  await connection.closed;
  await expect(connection.call({ ...at, member: "Echo" })).rejects.toThrow(/has ended/);
});

test("a call whose values do not fit its signature fails alone", async () => {
  const fake = await startFakeBus(join(dir, "bus"), ({ body = [] }) => ({ signature: "s", body }));
  closers.push(() => fake.close());
  const connection = await connectBus(fake.socketPath);
  const call = { destination: "a.b", path: "/a", interface: "a.b", member: "Echo", signature: "s" };
  await expect(connection.call({ ...call, body: [1] })).rejects.toThrow(/where D-Bus wants a text/);
  expect(await connection.call({ ...call, body: ["hi"] })).toEqual(["hi"]);
  connection.close();
  await connection.closed;
});

test.each<[string, (socket: Socket) => void, RegExp]>([
  ["refuses the user", (socket) => socket.write("REJECTED EXTERNAL\r\n"), /refused this user: REJECTED/],
  ["hangs up", (socket) => socket.destroy(), /ended the handshake|EPIPE|ECONNRESET/],
  ["speaks something else", (socket) => socket.write("x".repeat(5000)), /refused this user/],
])("a server that %s is no bus", async (_, act, want) => {
  const path = join(dir, "bus");
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    act(socket);
  }).listen(path);
  await once(server, "listening");
  closers.push(() => server.close());
  await expect(connectBus(path)).rejects.toThrow(want);
});

test("the address of the system bus is that of its variable", () => {
  expect(systemBusSocket("")).toBe("/run/dbus/system_bus_socket");
  expect(systemBusSocket("tcp:host=a;unix:guid=1,path=/x%20y")).toBe("/x y");
  expect(systemBusSocket("unix:abstract=/tmp/a")).toBe("\0/tmp/a");
});

const hasDaemon = (() => {
  try {
    execFileSync("dbus-daemon", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

test.skipIf(!hasDaemon)("a real message bus answers, and sends signals", async () => {
  const path = join(dir, "real");
  const daemon: ChildProcess = spawn("dbus-daemon", ["--session", "--nofork", `--address=unix:path=${path}`], {
    stdio: "ignore",
  });
  closers.push(async () => {
    daemon.kill();
    await once(daemon, "exit");
  });
  await expect.poll(() => existsSync(path), { timeout: 10_000 }).toBe(true);
  const connection = await connectBus(path);
  closers.push(() => connection.close());
  expect((await connection.call({ ...bus, member: "ListNames" }))[0]).toContain("org.freedesktop.DBus");
  await expect(connection.call({ ...bus, member: "GetNameOwner", signature: "s", body: ["no.such"] })).rejects.toThrow(
    /NameHasNoOwner/,
  );
  const owners: unknown[] = [];
  await connection.subscribe({ ...bus, member: "NameOwnerChanged" }, ([name]) => owners.push(name));
  await connection.call({ ...bus, member: "RequestName", signature: "su", body: ["org.example.Test", 0] });
  await expect.poll(() => owners).toContain("org.example.Test");
});
