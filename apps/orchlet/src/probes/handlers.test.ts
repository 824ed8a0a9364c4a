import http from "node:http";
import http2 from "node:http2";
import { type AddressInfo, createServer, type Server } from "node:net";
import type { CriClient } from "@orchernetes/cri";
import { afterEach, expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { runHandler } from "./handlers.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function serve(server: Server, port = 0): Promise<number> {
  closers.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}
const web = (answer: http.RequestListener) => {
  const server = http.createServer(answer);
  closers.push(() => server.closeAllConnections());
  return serve(server);
};
const [container] = testPod({}).spec.containers;
if (container === undefined) throw new Error("the test pod has no container");
const check = (handler: object, timeoutSeconds = 1, cri = {} as CriClient) =>
  runHandler(
    handler,
    { containerId: "c", container, podIP: "127.0.0.1" },
    { cri, timeoutSeconds, signal: new AbortController().signal },
  );
const get = (port: number, path = "/") => ({ httpGet: { port, path } });

test("an endless body is read only up to the size limit", async () => {
  let sent = 0;
  const port = await web((_, response) => {
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(1024))) sent += 1024;
    };
    response.on("drain", more);
    more();
  });
  expect(await check(get(port), 60)).toEqual({ outcome: "success" });
  expect(sent).toBeLessThan(16 * 1024 * 1024);
});

test("a slow body does not exceed the time limit", async () => {
  const port = await web((_, response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write("x"), 20);
    response.on("close", () => clearInterval(drip));
  });
  expect(await check(get(port), 0.2)).toMatchObject({ outcome: "failure" });
});

test.each([
  ["with bytes after it", "\r\nhello"],
  ["that ends the connection", undefined],
])("a response that changes the protocol %s is a failure", async (_, rest) => {
  const port = await serve(
    createServer((socket) => {
      socket.on("error", () => undefined);
      const head = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n";
      socket.once("data", () => (rest === undefined ? socket.end(`${head}\r\n`) : socket.write(head + rest)));
    }),
  );
  expect(await check(get(port))).toEqual({ outcome: "failure", message: "HTTP probe failed with statuscode: 101" });
});

test("redirects share one time limit, and a redirect loop ends", async () => {
  let slow = 0;
  const port = await web((request, response) => {
    const wait = request.url === "/slow" ? 150 : 0;
    if (wait > 0) slow += 1;
    setTimeout(() => response.writeHead(302, { location: request.url ?? "/" }).end(), wait);
  });
  expect(await check(get(port, "/slow"), 0.4)).toMatchObject({ outcome: "failure" });
  expect(slow).toBeLessThan(4);
  expect(await check(get(port, "/fast"))).toEqual({
    outcome: "failure",
    message: `Get "http://127.0.0.1:${port}/fast": stopped after 10 redirects`,
  });
});

test("the tenth request of a check may still succeed", async () => {
  const port = await web(({ url = "" }, response) => {
    const left = Number(url.slice(1));
    if (left === 0) response.end();
    else response.writeHead(307, { location: `/${left - 1}` }).end();
  });
  expect(await check(get(port, "/9"))).toEqual({ outcome: "success" });
  expect(await check(get(port, "/10"))).toMatchObject({ outcome: "failure" });
});

test.each([
  ["to another host", 302, { location: "http://192.0.2.1/" }],
  ["without a location", 301, {}],
  ["that is none", 304, {}],
  ["with a choice of locations", 300, { location: "/" }],
])("a redirect %s is a success with a warning", async (_, status, headers) => {
  const port = await web((_request, response) =>
    response.writeHead(status, headers).end(status === 304 ? "" : "moved"),
  );
  expect(await check(get(port))).toEqual({
    outcome: "success",
    warning: `Probe terminated redirects, Response body: ${status === 304 ? "" : "moved"}`,
  });
});

test("if the status does not count, every response is a success", async () => {
  const port = await web((_request, response) => response.writeHead(500).end());
  const target = { containerId: "c", container, podIP: "127.0.0.1" };
  const options = { cri: {} as CriClient, timeoutSeconds: 1, signal: new AbortController().signal };
  expect(await runHandler(get(port), target, { ...options, anyStatus: true })).toEqual({ outcome: "success" });
  expect(await runHandler(get(port), target, options)).toMatchObject({ outcome: "failure" });
});

test.each([
  ["another host", "http://192.0.2.1/", { outcome: "success" }],
  ["another scheme on this host", "ftp://127.0.0.1/", { outcome: "failure" }],
  ["nowhere", "http://[", { outcome: "failure" }],
])("a redirect to %s", async (_, location, want) => {
  const port = await web((_request, response) => response.writeHead(302, { location }).end());
  expect(await check(get(port))).toMatchObject(want);
});

test("a redirect whose body is interrupted does not crash the agent", async () => {
  const port = await serve(
    createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => {
        socket.write("HTTP/1.1 302 Found\r\nlocation: http://192.0.2.1/\r\ncontent-length: 100\r\n\r\nx");
        setTimeout(() => socket.resetAndDestroy(), 20);
      });
    }),
  );
  expect(await check(get(port))).toMatchObject({ outcome: "success" });
  await new Promise((resolve) => setTimeout(resolve, 60));
});

test("an endless gRPC response fails as soon as it exceeds the maximum size of a health response", async () => {
  let sent = 0;
  const server = http2.createServer();
  server.on("stream", (stream: http2.ServerHttp2Stream) => {
    stream.on("error", () => undefined);
    stream.respond({ ":status": 200, "content-type": "application/grpc" });
    const more = () => {
      while (!stream.destroyed && stream.write(Buffer.alloc(16 * 1024))) sent += 16 * 1024;
    };
    stream.on("drain", more);
    more();
  });
  const port = await serve(server);
  expect(await check({ grpc: { port } }, 2)).toEqual({
    outcome: "failure",
    message: "rpc error: the response is longer than 10240 bytes",
  });
  expect(sent).toBeLessThan(16 * 1024 * 1024);
});

test("a probe with the maximum timeout does not time out at once", async () => {
  const port = await web((_, response) => response.end("yes"));
  const given: unknown[] = [];
  const cri = {
    runtime: {
      async execSync({ timeout }: { timeout: number }) {
        given.push(timeout);
        return { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), exitCode: 0 };
      },
    },
  } as unknown as CriClient;
  const longest = 2 ** 31 - 1;
  for (const handler of [get(port), { tcpSocket: { port } }, { exec: { command: ["true"] } }])
    expect(await check(handler, longest, cri)).toEqual({ outcome: "success" });
  expect(given).toEqual([2_147_483]);
  const silent = http2.createServer();
  const grpc = check({ grpc: { port: await serve(silent) } }, longest);
  expect(await Promise.race([grpc, new Promise((resolve) => setTimeout(resolve, 50, "waits"))])).toBe("waits");
});

/** A server of health checks that gives this answer to all; none to "silent". */
const health = (
  answer: "silent" | { readonly status?: number; readonly headers: http2.OutgoingHttpHeaders },
  port = 0,
) => {
  const server = http2.createServer();
  server.on("stream", (stream: http2.ServerHttp2Stream) => {
    stream.on("error", () => undefined);
    if (answer === "silent") return;
    const type = { ":status": 200, "content-type": "application/grpc" };
    if (answer.status === undefined) return stream.respond({ ...type, ...answer.headers }, { endStream: true });
    stream.respond({ ...type }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers(answer.headers));
    stream.end(Buffer.from([0, 0, 0, 0, 2, 8, answer.status]));
  });
  return serve(server, port);
};
const ok = { "grpc-status": "0" };

test.each<[string, Parameters<typeof health>[0], string | undefined]>([
  ["serves", { status: 1, headers: ok }, undefined],
  ["does not serve", { status: 2, headers: ok }, 'service unhealthy (responded with "NOT_SERVING")'],
  [
    "has no health checks",
    { headers: { "grpc-status": "12", "grpc-message": "unknown service grpc.health.v1.Health" } },
    "error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unknown service grpc.health.v1.Health",
  ],
  [
    "does not know the service",
    { headers: { "grpc-status": "5", "grpc-message": "unknown service" } },
    "error: health rpc probe failed: rpc error: code = NotFound desc = unknown service",
  ],
  ["does not answer", "silent", "timeout: health rpc did not complete within 2s"],
])("the result of a gRPC server that %s", async (_, answer, message) => {
  const port = await health(answer);
  const expected = message === undefined ? { outcome: "success" } : { outcome: "failure", message };
  expect(await check({ grpc: { port } }, answer === "silent" ? 2 : 60)).toEqual(expected);
});

test("a gRPC probe of a port on which nothing listens connects again and again until its time is over", async () => {
  const port = await health("silent");
  closers.pop()?.();
  const address = `127.0.0.1:${port}`;
  await expect
    .poll(async () => await check({ grpc: { port } }, 1), { timeout: 10_000 })
    .toEqual({
      outcome: "failure",
      message: `timeout: failed to connect service "${address}" within 1s: context deadline exceeded`,
    });
});

test("a gRPC probe succeeds when its server starts to listen in time", async () => {
  const port = await health("silent");
  closers.pop()?.();
  const checked = check({ grpc: { port } }, 60);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await health({ status: 1, headers: ok }, port);
  expect(await checked).toEqual({ outcome: "success" });
});
