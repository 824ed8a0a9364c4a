import http2 from "node:http2";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { refuseServerPush } from "./refuse-server-push.ts";

const { connect } = http2;
let received: Promise<Buffer>;
let url: string;
let close: () => void;
beforeEach(async () => {
  const first = Promise.withResolvers<Buffer>();
  received = first.promise;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
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
  refuseServerPush();
  refuseServerPush();
  const session = http2.connect(url, options).on("error", () => undefined);
  const sent = (await received).subarray(24);
  session.destroy();
  expect(sent[3]).toBe(4);
  const settings = sent.subarray(9, 9 + sent.readUIntBE(0, 3));
  expect(settings.includes(Buffer.from(refused))).toBe(true);
  expect(settings.includes(Buffer.from(setting))).toBe(true);
});

test("a listener instead of options is called", async () => {
  refuseServerPush();
  const session = await new Promise<http2.ClientHttp2Session>((resolve) => http2.connect(url, resolve));
  session.on("error", () => undefined).destroy();
  expect((await received).subarray(24).includes(Buffer.from(refused))).toBe(true);
});
