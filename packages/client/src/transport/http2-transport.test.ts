import { once } from "node:events";
import {
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { createCertificateAuthority, issueServerCertificate } from "@orchernetes/tls";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type FakeApiServer, type FakeApiServerOptions, startFakeApiServer } from "../testing/index.ts";
import { readBody } from "./body.ts";
import { createTransport } from "./create-transport.ts";
import type { ClientTls } from "./credentials.ts";
import type { Transport, TransportOptions, TransportRequest, TransportResponse } from "./transport.ts";

const ca = await createCertificateAuthority({ commonName: "ca" });
const { certPem: cert, keyPem: key } = await issueServerCertificate(ca, { commonName: "s", hosts: ["127.0.0.1"] });
const tls = { ca: ca.certPem };

const ends: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start(options: Partial<FakeApiServerOptions> = {}): Promise<FakeApiServer> {
  const server = await startFakeApiServer({ tls: { cert, key }, ...options });
  ends.push(() => server.close());
  return server;
}

/** A server of streams that a test answers itself. */
async function startRaw(
  onStream: (stream: ServerHttp2Stream, headers: Readonly<Record<string, unknown>>) => void,
  maxConcurrentStreams = 100,
): Promise<string> {
  const server: Http2SecureServer = createSecureServer({ cert, key, settings: { maxConcurrentStreams } });
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("error", () => undefined);
  });
  server.on("stream", (stream: ServerHttp2Stream, headers) => {
    stream.on("error", () => undefined);
    onStream(stream, headers);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  ends.push(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function transportTo(url: string, options: Partial<TransportOptions> = {}): Transport {
  const transport = createTransport({ server: new URL(url), tls: () => tls, maxConnections: 4, ...options });
  ends.push(() => transport.close());
  return transport;
}

const get = (path: string, more: Partial<TransportRequest> = {}): TransportRequest => ({
  method: "GET",
  path,
  headers: { accept: "application/json" },
  timeoutMs: 20_000,
  ...more,
});
const things = "/api/v1/things";
const textOf = async ({ body }: TransportResponse): Promise<string> => (await readBody(body)).toString();
const watch = (transport: Transport, more: Partial<TransportRequest> = {}): Promise<TransportResponse> =>
  transport.send(get(`${things}?watch=true&resourceVersion=100`, { stream: true, ...more }));
const connectionsOf = (server: FakeApiServer): number =>
  new Set(server.requests.map(({ connection }) => connection)).size;
const firstLine = async ({ body }: TransportResponse): Promise<string> => {
  for await (const chunk of body) return String(chunk);
  return "";
};

describe("one connection", () => {
  test("carries all watches and requests, also those that start at the same time", async () => {
    const server = await start();
    const transport = transportTo(server.url);
    const watches = await Promise.all(Array.from({ length: 60 }, () => watch(transport)));
    await Promise.all(Array.from({ length: 20 }, async () => textOf(await transport.send(get(things)))));
    const body = JSON.stringify({ metadata: { name: "x", namespace: "a" }, data: "ü".repeat(500_000) });
    const made = await transport.send({ ...get(things, { method: "POST", body }), headers: {} });
    expect(made.statusCode).toBe(201);
    expect(await textOf(made)).toContain("üüü");
    expect(await Promise.all(watches.map(firstLine))).toEqual(watches.map(() => expect.stringContaining("ADDED")));
    expect([connectionsOf(server), server.requests.length]).toEqual([1, 81]);
  });

  test("is joined by another one when the server accepts no more streams on it", async () => {
    const server = await start({ http2Streams: 2 });
    const transport = transportTo(server.url);
    const watches = await Promise.all([1, 2, 3].map(() => watch(transport)));
    expect(await textOf(await transport.send(get(things)))).toContain('"items":[]');
    expect(connectionsOf(server)).toBe(2);
    for (const { body } of watches) body.destroy();
  });

  test("is retired when its TLS material is replaced; a watch stays on it", async () => {
    const server = await start();
    let material: ClientTls = tls;
    const transport = transportTo(server.url, { tls: () => material });
    const old = await watch(transport);
    material = { ...tls };
    await textOf(await transport.send(get(things)));
    expect(connectionsOf(server)).toBe(2);
    server.put(things, { metadata: { name: "x", namespace: "a" } });
    expect(await firstLine(old)).toContain("ADDED");
  });

  test("is retired when the server sends GOAWAY; requests in flight end on it", async () => {
    const server = await start();
    const transport = transportTo(server.url);
    const old = await watch(transport);
    const [first] = server.requests;
    (first?.connection as ServerHttp2Session | undefined)?.goaway(0, 2 ** 31 - 1);
    await vi.waitFor(async () => {
      await textOf(await transport.send(get(things)));
      expect(connectionsOf(server)).toBe(2);
    });
    server.put(things, { metadata: { name: "x", namespace: "a" } });
    expect(await firstLine(old)).toContain("ADDED");
  });

  test("on which the server does not answer pings fails its requests, and the next request opens another", async () => {
    const server = await start();
    const proxy = await startStoppable(new URL(server.url).port);
    const transport = transportTo(proxy.url, { keepAlive: { everyMs: 20, answerMs: 200 } });
    const { body } = await watch(transport);
    // Alive: pings are answered.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(body.destroyed).toBe(false);
    proxy.stop();
    await expect(readBody(body)).rejects.toMatchObject({ name: "TransportError" });
    expect(await textOf(await transport.send(get(things)))).toContain("items");
  });
});

/** A proxy whose first connections can be made to pass nothing on, without being closed. */
async function startStoppable(port: string): Promise<{ readonly url: string; stop(): void }> {
  const sockets: Socket[] = [];
  const proxy = createServer((near) => {
    const far = connect(Number(port), "127.0.0.1");
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) {
      socket.on("error", () => undefined);
      sockets.push(socket);
    }
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return {
    url: `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    stop() {
      for (const socket of sockets) socket.unpipe().pause();
    },
  };
}

describe("a server that", () => {
  test("supports HTTP/1.1 only is called so, until it is replaced by one with HTTP/2", async () => {
    const server = await start({ http2Streams: false });
    const transport = transportTo(server.url);
    const old = await watch(transport);
    await textOf(await transport.send(get(things)));
    expect(old.body).toHaveProperty("httpVersion", "1.1");
    await server.close();
    const next = await start({ port: Number(new URL(server.url).port) });
    // The pooled connection is dead.
    await transport.send(get(things)).catch(() => undefined);
    const { body } = await watch(transport);
    expect(body).not.toHaveProperty("httpVersion");
    body.destroy();
    expect(next.requests.length).toBeGreaterThan(0);
  });

  test("crashes ends watches and requests at once; the next ones reach its successor", async () => {
    const server = await start();
    const transport = transportTo(server.url);
    const { body } = await watch(transport);
    server.hook = () => "hang";
    const waiting = transport.send(get(things));
    await vi.waitFor(() => expect(server.requests).toHaveLength(2));
    const failures = Promise.all([
      expect(readBody(body)).rejects.toMatchObject({ name: "TransportError", code: "ECONNRESET" }),
      expect(waiting).rejects.toMatchObject({ name: "TransportError", staleConnection: true, sent: true }),
    ]);
    await server.close();
    await failures;
    await expect(transport.send(get(things))).rejects.toMatchObject({ code: "ECONNREFUSED", sent: false });
    await start({ port: Number(new URL(server.url).port) });
    expect(await textOf(await transport.send(get(things)))).toContain("items");
  });

  test("crashes in the middle of a body does not shorten it silently", async () => {
    const url = await startRaw((stream) => {
      stream.respond({ ":status": 200 });
      stream.write("half", () => stream.session?.destroy());
    });
    const { body } = await transportTo(url).send(get("/"));
    await expect(readBody(body)).rejects.toMatchObject({ name: "TransportError", code: "ECONNRESET" });
  });

  test.each([
    { name: "and crashes in its middle", body: "half", length: 8, code: "ECONNRESET" },
    { name: "and ends it early", body: "half", length: 8, isEnd: true, code: "EPROTO" },
    { name: "and sends more", body: "more than that", length: 4, code: "EPROTO" },
  ])(
    "says how long a short body is $name is an error, and the request is not repeated",
    async ({ body, length, isEnd = false, code }) => {
      let streams = 0;
      const url = await startRaw((stream) => {
        // Node's server would not send a body of the wrong length.
        streams++;
        if (streams === 1) {
          stream.respond({ ":status": 200 }, { endStream: true });
          return;
        }
        stream.respond({ ":status": 200, "content-length": String(length) });
        if (isEnd) stream.end(body);
        else stream.write(body, () => stream.session?.destroy());
      });
      const transport = transportTo(url);
      expect(await textOf(await transport.send(get("/")))).toBe("");
      await expect(transport.send(get("/"))).rejects.toMatchObject({
        name: "TransportError",
        code,
        sent: true,
        staleConnection: false,
      });
      expect(streams).toBe(2);
    },
  );

  test("refuses a stream gets the request again, whatever its method; a request that it may have processed is not repeated", async () => {
    const seen: string[] = [];
    const url = await startRaw((stream) => {
      seen.push("stream");
      if (seen.length === 1) stream.close(7);
      else if (seen.length === 2) stream.respond({ ":status": 201 }, { endStream: true });
      else stream.close(2);
    });
    const transport = transportTo(url);
    expect((await transport.send(get("/", { method: "POST", body: "{}" }))).statusCode).toBe(201);
    await expect(transport.send(get("/", { method: "POST", body: "{}" }))).rejects.toMatchObject({
      name: "TransportError",
      sent: true,
      staleConnection: false,
    });
    expect(seen).toHaveLength(3);
  });

  test("refuses every stream is not retried forever", async () => {
    let streams = 0;
    const url = await startRaw((stream) => {
      streams++;
      stream.close(7);
    });
    await expect(transportTo(url).send(get("/"))).rejects.toMatchObject({ name: "TransportError", sent: false });
    expect(streams).toBe(3);
  });

  test("accepts no streams at all is an error", async () => {
    const url = await startRaw(() => undefined, 0);
    await expect(transportTo(url).send(get("/"))).rejects.toMatchObject({ code: "EPROTO", sent: false });
  });

  test("has a certificate of another authority receives no request", async () => {
    const server = await start();
    const other = await createCertificateAuthority({ commonName: "other" });
    const transport = transportTo(server.url, { tls: () => ({ ca: other.certPem }) });
    await expect(transport.send(get("/"))).rejects.toMatchObject({ name: "TransportError", sent: false });
    const named = transportTo(server.url, { tls: () => ({ ...tls, serverName: "other.example" }) });
    await expect(named.send(get("/"))).rejects.toMatchObject({ code: "ERR_TLS_CERT_ALTNAME_INVALID", sent: false });
    expect(server.requests).toEqual([]);
  });

  test("uses another protocol over TLS is an error", async () => {
    const server = createServer((socket) => socket.end("no TLS at all"));
    await once(server.listen(0, "127.0.0.1"), "listening");
    ends.push(() => server.close());
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(transportTo(url).send(get("/"))).rejects.toMatchObject({ name: "TransportError" });
  });
});

describe("the body of a response", () => {
  test.each([
    { name: "short", bytes: 60_000, stream: false, isWhole: true },
    { name: "long", bytes: 100_000, stream: false, isWhole: false },
    { name: "short, of a stream", bytes: 60_000, stream: true, isWhole: false },
    { name: "empty", bytes: 0, stream: false, isWhole: true },
  ])("arrives with its header if it is short and no stream: $name", async ({ bytes, stream, isWhole }) => {
    const url = await startRaw((to) => {
      to.respond({ ":status": 200, "content-length": String(bytes) });
      to.end(Buffer.alloc(bytes, "x"));
    });
    const response = await transportTo(url).send(get("/", { stream }));
    expect(response.whole !== undefined).toBe(isWhole);
    expect(await textOf(response)).toHaveLength(bytes);
  });

  test("of HEAD is not waited for", async () => {
    const url = await startRaw((to) => to.respond({ ":status": 200, "content-length": "10" }, { endStream: true }));
    const { whole } = await transportTo(url).send(get("/", { method: "HEAD" }));
    expect(whole).toHaveLength(0);
  });
});

describe("a request", () => {
  test("has its headers, whatever the case of their names, and its path below that of the server", async () => {
    const seen: Readonly<Record<string, unknown>>[] = [];
    const url = await startRaw((to, headers) => {
      seen.push({ ...headers });
      to.respond({ ":status": 200 }, { endStream: true });
    });
    const headers = { Accept: "a", "impersonate-group": ["g1", "g2"] };
    await transportTo(`${url}/base/`).send(get("/x?y=1", { headers, method: "DELETE" }));
    expect(seen).toEqual([
      expect.objectContaining({
        ":method": "DELETE",
        ":path": "/base/x?y=1",
        ":scheme": "https",
        ":authority": new URL(url).host,
        accept: "a",
        "impersonate-group": "g1, g2",
      }),
    ]);
    await expect(transportTo(url).send(get("/", { headers: { accept: "a\r\nb: c" } }))).rejects.toMatchObject({
      name: "TransportError",
      sent: false,
    });
    expect(seen).toHaveLength(1);
  });

  test("ends at its timeout and its signal, before and after its response", async () => {
    const closed: number[] = [];
    const url = await startRaw((stream) => {
      stream.once("close", () => closed.push(stream.rstCode));
      if (stream.sentHeaders === undefined) stream.respond({ ":status": 200 });
      stream.write("some");
    });
    const silent = await startRaw(() => undefined);
    const transport = transportTo(url);
    const quiet = transportTo(silent);
    await expect(quiet.send(get("/", { timeoutMs: 30 }))).rejects.toMatchObject({ code: "ETIMEDOUT" });
    const stop = new AbortController();
    const { signal } = stop;
    const late = await transport.send(get("/", { timeoutMs: 300 }));
    await expect(readBody(late.body)).rejects.toMatchObject({ cause: { code: "ETIMEDOUT" } });
    const before = quiet.send(get("/", { signal }));
    const after = await transport.send(get("/", { signal }));
    const reading = readBody(after.body, signal);
    stop.abort(new Error("stopping"));
    await expect(before).rejects.toThrow("stopping");
    await expect(reading).rejects.toThrow("stopping");
    await expect(transport.send(get("/", { signal }))).rejects.toThrow("stopping");
    await vi.waitFor(() => expect(closed).toHaveLength(2));
  });

  test("waits for a connection no longer than its timeout and signal allow", async () => {
    const server = createServer((socket) => socket.on("error", () => undefined));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const transport = transportTo(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const stop = new AbortController();
    const aborted = transport.send(get("/", { signal: stop.signal }));
    await expect(transport.send(get("/", { timeoutMs: 30 }))).rejects.toMatchObject({ code: "ETIMEDOUT", sent: false });
    stop.abort(new Error("stopping"));
    await expect(aborted).rejects.toThrow("stopping");
    server.close();
  });

  test("whose stream is not read does not block the others", async () => {
    const url = await startRaw((stream) => {
      stream.respond({ ":status": 200 });
      stream.end(Buffer.alloc(3_000_000));
    });
    const transport = transportTo(url);
    const unread = await Promise.all([1, 2, 3].map(() => transport.send(get("/", { stream: true }))));
    for (let i = 0; i < 5; i++) expect((await textOf(await transport.send(get("/")))).length).toBe(3_000_000);
    for (const { body } of unread) body.destroy();
  });
});
