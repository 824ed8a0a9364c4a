import http2 from "node:http2";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hardenHttp2Clients } from "./harden-http2-clients.ts";

const { connect } = http2;
let received: Promise<Buffer>;
let url: string;
let close: () => void;
const sockets = new Set<Socket>();
beforeEach(async () => {
  const first = Promise.withResolvers<Buffer>();
  received = first.promise;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => undefined).once("data", first.resolve);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
});
afterEach(() => {
  http2.connect = connect;
  close();
});

const refused = [0, 2, 0, 0, 0, 0];
const windowOf = [0, 4, 0, 1, 0, 0];

test.each([
  ["without settings", {}, refused],
  ["with settings of its own", { settings: { initialWindowSize: 65_536 } }, windowOf],
  ["with settings that refuse pushes", { settings: { enablePush: false } }, refused],
])("a session %s refuses pushed responses, however often it was asked for", async (_, options, setting) => {
  hardenHttp2Clients();
  hardenHttp2Clients();
  const session = http2.connect(url, options).on("error", () => undefined);
  const sent = (await received).subarray(24);
  session.destroy();
  expect(sent[3]).toBe(4);
  const settings = sent.subarray(9, 9 + sent.readUIntBE(0, 3));
  expect(settings.includes(Buffer.from(refused))).toBe(true);
  expect(settings.includes(Buffer.from(setting))).toBe(true);
});

test("a listener instead of options is called", async () => {
  hardenHttp2Clients();
  const session = await new Promise<http2.ClientHttp2Session>((resolve) => http2.connect(url, resolve));
  session.on("error", () => undefined).destroy();
  expect((await received).subarray(24).includes(Buffer.from(refused))).toBe(true);
});

test("a session ends if the server sends no settings in time, and otherwise stays", async () => {
  hardenHttp2Clients(200);
  const session = http2.connect(url).on("error", () => undefined);
  const answered = http2.connect(url).on("error", () => undefined);
  await expect.poll(() => sockets.size).toBe(2);
  // An empty frame of settings.
  [...sockets][1]?.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
  await expect.poll(() => [session.destroyed, sockets.size], { timeout: 5000 }).toEqual([true, 1]);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(answered.destroyed).toBe(false);
  answered.destroy();
});
