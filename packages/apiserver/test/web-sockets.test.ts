import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RequestHandler } from "../src/index.ts";
import { startServer, type TestServer } from "./harness.ts";

const toys = "/apis/toys.example.com/v1/namespaces/ns/toys";

/** Writes a few bytes, or refuses, as the handler of logs does. */
const echo: RequestHandler = {
  verbs: ["get", "create"],
  longRunning: true,
  answersWebSockets: true,
  handle: async ({ query, res }) => {
    if (query.get("fail") === "1")
      return { type: "bytes", body: "no such log", contentType: "text/plain", status: 404 };
    res.writeHead(200, { "content-type": "text/plain" });
    res.write("first\n");
    res.end("x".repeat(70_000));
    return { type: "streamed" };
  },
};

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    handlers: { "toys.example.com/toys/echo": echo },
    authenticators: [{ authenticate: () => ({ type: "authenticated", user: { name: "a", groups: [], extra: {} } }) }],
    authorizers: [{ authorize: () => ({ type: "Allow" }) }],
  });
});
afterAll(() => server.stop());

interface Conversation {
  readonly protocol: string;
  readonly messages: readonly (string | Buffer)[];
  readonly code: number;
}

/** What comes over a WebSocket until it is closed, or until `enough` messages came. */
async function listen(
  path: string,
  protocols: readonly string[] = [],
  enough = Number.POSITIVE_INFINITY,
): Promise<Conversation> {
  const socket = new WebSocket(server.url.replace("http", "ws") + path, [...protocols]);
  socket.binaryType = "arraybuffer";
  const messages: (string | Buffer)[] = [];
  const closed = Promise.withResolvers<number>();
  socket.onmessage = ({ data }) => {
    messages.push(typeof data === "string" ? data : Buffer.from(data as ArrayBuffer));
    if (messages.length === enough) socket.close();
  };
  socket.onclose = ({ code }) => closed.resolve(code);
  const code = await closed.promise;
  return { protocol: socket.protocol, messages, code };
}

test("a watch sends one message for each event, and ends when the client leaves", async () => {
  for (const name of ["a", "b"]) await server.call("POST", toys, { metadata: { name } });
  const watching = listen(`${toys}?watch=1&resourceVersion=0`, [], 3);
  setTimeout(() => server.call("POST", toys, { metadata: { name: "c" } }), 200);
  const { messages, code } = await watching;
  const events = messages.map((message) => JSON.parse(String(message)));
  expect(events.map(({ type, object }) => [type, object.metadata.name])).toEqual([
    ["ADDED", "a"],
    ["ADDED", "b"],
    ["ADDED", "c"],
  ]);
  expect(code).toBe(1000);
});

test("a watch is closed by the server when its time is over", async () => {
  const { code } = await listen(`${toys}?watch=1&timeoutSeconds=1`);
  expect(code).toBe(1000);
});

test.each([
  ["no protocol", [], ""],
  ["binary", ["binary.o8s.io"], "binary.o8s.io"],
  [
    "the upstream spelling beside a token",
    ["base64url.bearer.authorization.o8s.io.YQ", "binary.k8s.io"],
    "binary.k8s.io",
  ],
])("a stream of bytes with %s begins with an empty message", async (_, protocols, chosen) => {
  const { protocol, messages, code } = await listen(`${toys}/a/echo`, protocols);
  const [first, ...rest] = messages;
  expect([protocol, first?.length, code]).toEqual([chosen, 0, 1000]);
  expect(Buffer.concat(rest as Buffer[]).toString()).toBe(`first\n${"x".repeat(70_000)}`);
});

test("a stream of bytes in base64 has text messages", async () => {
  const { protocol, messages } = await listen(`${toys}/a/echo`, ["base64.binary.o8s.io"]);
  expect(protocol).toBe("base64.binary.o8s.io");
  expect(messages.slice(0, 2)).toEqual(["", Buffer.from("first\n").toString("base64")]);
});

const upgrade = (path: string, more: Readonly<Record<string, string>> = {}) => {
  const { port } = new URL(server.url);
  const headers = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    ...more,
  };
  const answered = Promise.withResolvers<number>();
  request({ host: "127.0.0.1", port, path, headers })
    .on("response", (response) => {
      response.resume();
      answered.resolve(response.statusCode ?? 0);
    })
    .on("upgrade", (response, socket) => {
      socket.destroy();
      answered.resolve(response.statusCode ?? 0);
    })
    .on("error", answered.reject)
    .end();
  return answered.promise;
};

test.each([
  ["a watch", `${toys}?watch=1`, {}, 101],
  ["a list", toys, {}, 400],
  ["a kind that is not there", toys.replace("toys.example", "no.example"), {}, 400],
  ["an error of the handler", `${toys}/a/echo?fail=1`, {}, 404],
  ["an unknown protocol", `${toys}/a/echo`, { "sec-websocket-protocol": "chat" }, 400],
  ["an old version", `${toys}?watch=1`, { "sec-websocket-version": "8" }, 400],
  ["a bad key", `${toys}?watch=1`, { "sec-websocket-key": "x" }, 400],
  ["bad options", `${toys}?watch=1&resourceVersion=x`, {}, 422],
])("an upgrade of %s", async (_, path, headers, want) => {
  expect(await upgrade(path, headers as Readonly<Record<string, string>>)).toBe(want);
});
