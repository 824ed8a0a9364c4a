import { once } from "node:events";
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from "node:http2";
import { connect as tlsConnect } from "node:tls";
import { type HttpHandler, silentLogger } from "@orchernetes/kernel";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createSecureServing, type SecureServing } from "./secure-serving.ts";
import { markKnown, UnknownConnections, type UnknownLimits } from "./unknown-connections.ts";

vi.setConfig({ testTimeout: 30_000 });

let serving: SecureServing | undefined;
const end = new AbortController();
const clients: ClientHttp2Session[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await serving?.close();
});

async function serve(unknownLimits: UnknownLimits, handler: HttpHandler): Promise<void> {
  serving = await createSecureServing(
    {
      bindAddress: "127.0.0.1",
      port: 0,
      logger: silentLogger,
      signal: end.signal,
      tls: { pairName: "test", selfSignedHosts: ["localhost"] },
      unknownLimits,
    },
    handler,
  );
}

async function session(): Promise<ClientHttp2Session> {
  const client = connect(`https://127.0.0.1:${serving?.port}`, { rejectUnauthorized: false });
  client.on("error", () => undefined);
  clients.push(client);
  await once(client, "connect");
  return client;
}

const isClosed = (client: ClientHttp2Session) => client.closed || client.destroyed;
const patience = { timeout: 15_000 };
const limits = { idleMs: 400, settleMs: 50 };
const answer: HttpHandler = (request, response) => {
  if (request.headers.authorization !== undefined) markKnown(request);
  if (request.url !== "/watch") response.end("ok");
};

test("an HTTP/2 connection without a request is closed", async () => {
  await serve(limits, answer);
  const client = await session();
  await expect.poll(() => isClosed(client), patience).toBe(true);
});

test("an HTTP/2 connection is closed if its client is still unauthenticated after its request, even if that never ends", async () => {
  await serve(limits, answer);
  const client = await session();
  const stream = client.request({ ":path": "/", ":method": "POST" });
  stream.on("error", () => undefined).write("part of a body");
  await once(stream, "response");
  stream.resume();
  await expect.poll(() => isClosed(client), patience).toBe(true);
});

test("a request in progress keeps its connection open, and so do credentials", async () => {
  await serve(limits, answer);
  const [watching, known, unknown] = [await session(), await session(), await session()];
  watching.request({ ":path": "/watch" }).on("error", () => undefined);
  const stream = known.request({ ":path": "/", authorization: "Bearer x" });
  await once(stream.resume(), "end");
  await expect.poll(() => isClosed(unknown), patience).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect([isClosed(watching), isClosed(known)]).toEqual([false, false]);
});

test("a known connection is forgotten with its next request, which gets no listeners", () => {
  const connections = new UnknownConnections();
  const connection = { once: () => undefined } as unknown as Parameters<UnknownConnections["opened"]>[0];
  const request = { socket: connection } as unknown as Parameters<UnknownConnections["requested"]>[0];
  const listeners: string[] = [];
  const response = { writableEnded: false, once: (event: string) => listeners.push(event) };
  connections.opened(connection);
  connections.requested(request, response);
  expect(listeners).toEqual(["finish", "close"]);
  markKnown(request);
  connections.requested(request, response);
  expect(listeners).toHaveLength(2);
  connections.stop();
});

describe("answers that their client does not read", () => {
  const greedy = async (most: number) => {
    await serve({ ...limits, readMs: 300, most }, (request, response) => {
      if (request.headers.authorization !== undefined) markKnown(request);
      response.end("x".repeat(64 * 1024 * 1024));
    });
  };
  const overHttp2 = async (headers: OutgoingHttpHeaders = {}) => {
    const client = connect(`https://127.0.0.1:${serving?.port}`, {
      rejectUnauthorized: false,
      settings: { initialWindowSize: 0 },
    });
    client.on("error", () => undefined);
    clients.push(client);
    const stream = client.request({ ":path": "/", ...headers });
    stream.on("error", () => undefined);
    await once(stream, "response");
    return client;
  };

  test("end connections of unknown clients", async () => {
    await greedy(1000);
    const [unknown, known] = [await overHttp2(), await overHttp2({ authorization: "Bearer x" })];
    const http1 = tlsConnect({ port: serving?.port ?? 0, host: "127.0.0.1", rejectUnauthorized: false });
    http1.on("error", () => undefined);
    http1.pause().write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    await expect.poll(() => isClosed(unknown), patience).toBe(true);
    // A client that does not read its socket does not see the end of it either: the server is asked.
    const openOverHttp1 = () => {
      let open = 0;
      serving?.endConnections((connection) => {
        if (!("goaway" in connection)) open++;
        return false;
      });
      return open;
    };
    await expect.poll(openOverHttp1, patience).toBe(0);
    http1.destroy();
    expect(isClosed(known)).toBe(false);
  });

  test("count as idle beyond the limit of connections", async () => {
    await greedy(1);
    const first = await overHttp2();
    await overHttp2();
    await expect.poll(() => isClosed(first), patience).toBe(true);
  });
});

test("beyond the limit the connection that is idle for the longest time is closed", async () => {
  await serve({ most: 3 }, answer);
  const watching = await session();
  watching.request({ ":path": "/watch" }).on("error", () => undefined);
  const known = await session();
  await once(known.request({ ":path": "/", authorization: "Bearer x" }).resume(), "end");
  const first = await session();
  const http1 = tlsConnect({ port: serving?.port ?? 0, host: "127.0.0.1", rejectUnauthorized: false });
  await once(http1, "secureConnect");
  expect(isClosed(first)).toBe(false);
  const last = await session();
  await expect.poll(() => isClosed(first), patience).toBe(true);
  expect([watching, known, last].map(isClosed)).toEqual([false, false, false]);
  expect(http1.destroyed).toBe(false);
  http1.destroy();
});

test("connections for which the condition holds are closed with their requests", async () => {
  await serve({}, answer);
  const [one, other] = [await session(), await session()];
  const streams = [one, other].map((client) => client.request({ ":path": "/watch" }));
  for (const stream of streams) stream.on("error", () => undefined);
  const http1 = tlsConnect({ port: serving?.port ?? 0, host: "127.0.0.1", rejectUnauthorized: false });
  http1.on("error", () => undefined);
  await once(http1, "secureConnect");
  await expect.poll(() => serving?.endConnections(() => false), patience).toBe(0);
  let seen = 0;
  expect(serving?.endConnections((connection) => "goaway" in connection && seen++ === 0)).toBe(1);
  await expect.poll(() => isClosed(one), patience).toBe(true);
  expect([isClosed(other), http1.destroyed]).toEqual([false, false]);
  expect(serving?.endConnections(() => true)).toBe(2);
  await expect.poll(() => [isClosed(other), http1.destroyed || http1.readableEnded], patience).toEqual([true, true]);
});
