import { once } from "node:events";
import { createServer, request } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { afterEach, expect, test } from "vitest";
import { bodyForm } from "./body-framing.ts";
import { proxyHttp } from "./http-proxy.ts";

test.each<[string, number, Record<string, string>, string]>([
  ["GET", 1, {}, "none"],
  ["GET", 1, { "content-length": "0" }, "none"],
  ["GET", 1, { "content-length": "5" }, "counted"],
  ["GET", 1, { "transfer-encoding": "chunked" }, "chunked"],
  ["POST", 1, { "content-length": "5", "transfer-encoding": "chunked" }, "chunked"],
  ["POST", 1, {}, "none"],
  ["POST", 2, {}, "chunked"],
  ["POST", 2, { "content-length": "5" }, "counted"],
  ["GET", 2, {}, "none"],
])("%s over HTTP/%i with %j: %s", (method, httpVersionMajor, headers, form) => {
  expect(bodyForm({ method, httpVersionMajor, headers })).toBe(form);
});

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server that keeps what it is sent, byte by byte, and answers once the text `end` has come; a proxy in front of it. */
async function start(end: string): Promise<{ readonly port: number; sent(): string }> {
  let seen = "";
  const target = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      seen += chunk.toString("latin1");
      if (seen.includes(end)) socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    });
  });
  target.listen(0, "127.0.0.1");
  await once(target, "listening");
  const { port } = target.address() as AddressInfo;
  const proxy = createServer((req, res) => {
    const { signal } = new AbortController();
    const to = { protocol: "http:", host: "127.0.0.1", port, path: "/there" } as const;
    proxyHttp(req, res, to, { timeoutMs: 10_000, signal, describe: "there", redirects: "passed" }).catch(() =>
      res.destroy(),
    );
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  closers.push(() => {
    proxy.closeAllConnections();
    proxy.close();
    target.close();
  });
  return { port: (proxy.address() as AddressInfo).port, sent: () => seen };
}

const smuggled = "GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n";

test.each([
  ["DELETE", { "transfer-encoding": "chunked" }],
  ["GET", { "transfer-encoding": "chunked" }],
  ["OPTIONS", { "transfer-encoding": "chunked" }],
  ["POST", { "transfer-encoding": "chunked" }],
  ["DELETE", { "content-length": String(smuggled.length) }],
  ["GET", { "content-length": String(smuggled.length) }],
])("the body of a %s with %j stays a body", async (method, headers) => {
  const { port, sent } = await start("/smuggled HTTP/1.1\r\nhost: x\r\n\r\n");
  const outgoing = request({ host: "127.0.0.1", port, method, headers, agent: false });
  outgoing.end(smuggled);
  const [response] = await once(outgoing, "response");
  response.resume();
  expect(response.statusCode).toBe(200);
  const [head = "", body = ""] = [
    sent().slice(0, sent().indexOf("\r\n\r\n")),
    sent().slice(sent().indexOf("\r\n\r\n") + 4),
  ];
  expect(head.startsWith(`${method} /there HTTP/1.1\r\n`)).toBe(true);
  const chunked = /^transfer-encoding: chunked$/im.test(head);
  expect(chunked || head.toLowerCase().includes(`content-length: ${smuggled.length}`)).toBe(true);
  expect(body.startsWith(chunked ? `${smuggled.length.toString(16)}\r\n${smuggled}` : smuggled)).toBe(true);
});

/** What a client gets of a proxied server that answers with these bytes. */
async function answered(bytes: string): Promise<{ readonly status: number; readonly failure: unknown }> {
  const target = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(bytes, "latin1"));
  });
  target.listen(0, "127.0.0.1");
  await once(target, "listening");
  const { port } = target.address() as AddressInfo;
  const failed = Promise.withResolvers<unknown>();
  const proxy = createServer((req, res) => {
    const { signal } = new AbortController();
    const to = { protocol: "http:", host: "127.0.0.1", port, path: "/" } as const;
    proxyHttp(req, res, to, { timeoutMs: 10_000, signal, describe: "there", redirects: "passed" }).then(
      () => failed.resolve(undefined),
      (error: unknown) => {
        failed.resolve(error);
        res.writeHead(503).end();
      },
    );
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  closers.push(() => {
    proxy.closeAllConnections();
    proxy.close();
    target.close();
  });
  const asked = request({ host: "127.0.0.1", port: (proxy.address() as AddressInfo).port, agent: false });
  asked.end();
  const [response] = await once(asked, "response");
  response.resume();
  return { status: response.statusCode, failure: await failed.promise };
}

test.each(["000", "099", "600", "999"])("an answer with status %s is a failure of that server", async (status) => {
  const { failure } = await answered(`HTTP/1.1 ${status} X\r\ncontent-length: 2\r\n\r\nhi`);
  expect(failure).toMatchObject({
    status: { code: 503, message: expect.stringContaining("error trying to reach there") },
  });
});

test("an unrequested protocol switch is an error of that server", async () => {
  const { failure } = await answered("HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n");
  expect(failure).toMatchObject({ status: { code: 503 } });
});

test("notes before the answer are passed over", async () => {
  const { status, failure } = await answered("HTTP/1.1 103 X\r\n\r\nHTTP/1.1 204 OK\r\n\r\n");
  expect({ status, failure }).toEqual({ status: 204, failure: undefined });
});
