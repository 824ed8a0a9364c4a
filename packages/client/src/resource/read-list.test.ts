import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ApiObject } from "@orchernetes/apimachinery";
import { afterEach, expect, test } from "vitest";
import { createClient } from "../index.ts";
import { readList } from "./read-list.ts";

const close: (() => void)[] = [];
afterEach(() => {
  for (const each of close.splice(0)) each();
});

/** Reads a list from a server that answers like this. */
async function readFrom(answer: (response: ServerResponse) => void, signal?: AbortSignal) {
  const server = createServer((_, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = createClient({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  close.push(() => {
    client.close();
    server.closeAllConnections();
    server.close();
  });
  const names: string[] = [];
  const request = { path: "/api/v1/things", ...(signal === undefined ? {} : { signal }) };
  const metadata = await readList<ApiObject>(client, request, (item) => names.push(item.metadata.name));
  return { names, metadata };
}

const json = { "content-type": "application/json" };

test("the items come in order, then the metadata", async () => {
  const { names, metadata } = await readFrom((response) => {
    response.writeHead(200, json);
    response.write('{"metadata":{"resourceVersion":"7","continue":"more"},"items":[{"metadata":{"name":"a"}},{"meta');
    setTimeout(() => response.end('data":{"name":"b"}}]}'), 20);
  });
  expect(names).toEqual(["a", "b"]);
  expect(metadata).toEqual({ resourceVersion: "7", continue: "more" });
});

test.each<[string, (response: ServerResponse) => void, object]>([
  ["ends within an item", (r) => r.writeHead(200, json).end('{"items":[{"a"'), { code: "ECONNRESET" }],
  [
    "breaks the connection",
    (r) => r.writeHead(200, json).write('{"items":[{"metadata":{"name":"a"}}', () => r.destroy()),
    { code: "ECONNRESET" },
  ],
  ["sends nonsense", (r) => r.writeHead(200, json).end('{"items":[{"a":1,}]}'), { code: "EPROTO" }],
  ["sends other items", (r) => r.writeHead(200, json).end('{"items":[1]}'), { code: "EPROTO" }],
  ["sends a page", (r) => r.writeHead(200, { "content-type": "text/html" }).end("<html>"), { code: "EPROTO" }],
  ["rejects the request", (r) => r.writeHead(403).end("no"), { name: "ApiError", code: 403 }],
])("a server that %s is an error", async (_, answer, want) => {
  await expect(readFrom(answer)).rejects.toMatchObject(want);
});

test("an abort ends the list with its reason", async () => {
  const stop = new AbortController();
  const reading = readFrom((response) => {
    response.writeHead(200, json).write('{"items":[{"metadata":{"name":"a"}}', () => stop.abort(new Error("enough")));
  }, stop.signal);
  await expect(reading).rejects.toThrow("enough");
});
