import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { startTranslatingProxy, type Translation } from "./translating-proxy.ts";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** Paths below /x belong to a client that says "new" for "old". */
const translation: Translation = (path) =>
  path.startsWith("/x")
    ? {
        toServer: (text) => text.replaceAll("new", "old"),
        toClient: (text) => text.replaceAll("old", "new"),
        textOnly: true,
      }
    : undefined;

interface Seen {
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A proxy of a server that answers like this, and the requests that arrive there. */
async function proxied(answer: RequestListener): Promise<{ readonly url: string; readonly seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const { url, headers } = request;
    seen.push({ url, headers, body: (await buffer(request)).toString("latin1") });
    answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const proxy = await startTranslatingProxy({ server: target, token: "t" }, translation);
  ends.push(
    () => proxy.close(),
    () => server.close(),
    () => server.closeAllConnections(),
  );
  return { url: proxy.url, seen };
}

test("what needs no translation is passed on byte by byte, with the proxy's identity", async () => {
  const bytes = Buffer.from([0, 255, 10, 128, 10]);
  const { url, seen } = await proxied((_, response) => void response.end(bytes));
  const response = await fetch(`${url}/new?a=new`, { method: "POST", body: bytes, headers: { accept: "a/protobuf" } });
  expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
  expect(response.headers.get("content-length")).toBe("5");
  expect(seen).toMatchObject([
    { url: "/new?a=new", body: bytes.toString("latin1"), headers: { authorization: "Bearer t", accept: "a/protobuf" } },
  ]);
});

test("path, body and response are translated, and a client that could read protobuf gets text", async () => {
  const { url, seen } = await proxied((_, response) => {
    response.writeHead(201, { "content-type": "application/json", location: "/x/old" });
    response.end('{"is":"old"}');
  });
  const headers = { accept: "application/x.protobuf,application/json" };
  const response = await fetch(`${url}/x/new`, { method: "DELETE", body: '{"is":"new"}', headers });
  expect([response.status, response.headers.get("location"), await response.text()]).toEqual([
    201,
    "/x/new",
    '{"is":"new"}',
  ]);
  expect(seen).toMatchObject([{ url: "/x/old", body: '{"is":"old"}', headers: { accept: "application/json" } }]);
  await fetch(`${url}/x`, { headers: { accept: "application/x.protobuf" } });
  expect(seen[1]?.headers.accept).toBe("application/json");
});

test("lines of a watch arrive as soon as they are complete, and its end reaches the server", async () => {
  const ended = Promise.withResolvers<void>();
  const { url } = await proxied((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write("an o");
    setTimeout(() => response.write("ld one\nand ano"), 20);
    response.once("close", () => ended.resolve());
  });
  const stop = new AbortController();
  const { body } = await fetch(`${url}/x`, { signal: stop.signal });
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toBe("an new one\n");
  stop.abort();
  await ended.promise;
});

test("a response that breaks off is not taken for a whole one", async () => {
  for (const path of ["x", "y"]) {
    const { url } = await proxied((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write("part\n");
      setTimeout(() => response.destroy(), 20);
    });
    const response = await fetch(`${url}/${path}`);
    await expect(response.text()).rejects.toThrow();
  }
});

test("a server that cannot be reached is reported as 502 Bad Gateway", async () => {
  const proxy = await startTranslatingProxy({ server: "https://127.0.0.1:1" }, translation);
  ends.push(() => proxy.close());
  for (const path of ["x", "y"]) {
    const response = await fetch(`${proxy.url}/${path}`);
    expect([response.status, await response.text()]).toEqual([502, expect.stringContaining("ECONNREFUSED")]);
  }
});
