import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { refuseBadHttp } from "./refuse-bad-http.ts";

const server = createServer({ maxHeaderSize: 16 * 1024 }, (_request, response) => response.end("ok"));
server.on("clientError", refuseBadHttp);
let port = 0;

beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test.each([
  [
    "a URL beyond the limit, in pieces, and more",
    [`GET /${"a".repeat(20_000)}`, "b".repeat(200_000), " HTTP/1.1\r\n\r\n"],
    "431",
  ],
  ["an unknown method", ["FETCH / HTTP/1.1\r\nHost: a\r\n\r\n"], "405"],
  ["no HTTP at all", ["\u0000\u0001\u0002\r\n\r\n"], "40[05]"],
])("%s", async (_name, pieces, code) => {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    answer += text;
  });
  const ended = once(socket, "end");
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await ended;
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${code} [^]*connection: close`));
  socket.destroy();
});
