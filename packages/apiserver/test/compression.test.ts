import { request } from "node:http";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type TestServer } from "./harness.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  const data = { text: "a".repeat(50_000) };
  for (let i = 0; i < 4; i++) {
    const made = await server.call("POST", "/apis/toys.example.com/v1/namespaces/default/toys", {
      apiVersion: "toys.example.com/v1",
      kind: "Toy",
      metadata: { name: `t${i}`, annotations: data },
    });
    expect(made.status, made.text).toBe(201);
  }
});
afterAll(() => server.stop());

/** A GET without the decompression of `fetch`. */
function get(path: string, headers: Record<string, string>, method = "GET") {
  return new Promise<{ headers: NodeJS.Dict<string | string[]>; body: Buffer }>((resolve, reject) => {
    const call = request(
      server.url + path,
      { method, headers: { authorization: "Bearer admin", ...headers } },
      async (res) => {
        const chunks: Buffer[] = [];
        for await (const chunk of res) chunks.push(chunk as Buffer);
        resolve({ headers: res.headers, body: Buffer.concat(chunks) });
      },
    );
    call.on("error", reject).end();
  });
}

const toys = "/apis/toys.example.com/v1/namespaces/default/toys";

test.each([
  ["a long list", toys, "gzip", true],
  ["a long list for a client that takes several", toys, "br, gzip;q=0.5", true],
  ["a long list as YAML", toys, "gzip", true],
  ["a long list for a client that refuses gzip", toys, "gzip;q=0, identity", false],
  ["a long list for a client that says nothing", toys, "", false],
  ["a short list", `${toys}?limit=1`, "gzip", false],
  ["one object", `${toys}/t0`, "gzip", false],
])("%s", async (name, path, accepted, compressed) => {
  const accept = name.endsWith("YAML") ? "application/yaml" : "application/json";
  const { headers, body } = await get(path, { "accept-encoding": accepted, accept });
  expect(headers["content-encoding"]).toBe(compressed ? "gzip" : undefined);
  expect(headers["content-length"]).toBe(compressed ? undefined : String(body.length));
  const plain = await get(path, { accept });
  const text = (compressed ? gunzipSync(body) : body).toString();
  expect(text).toBe(plain.body.toString());
  if (compressed) expect(body.length).toBeLessThan(plain.body.length / 10);
});

test("HEAD has the length and no body; watches are never compressed", async () => {
  const head = await get(toys, { "accept-encoding": "gzip" }, "HEAD");
  expect(Number(head.headers["content-length"])).toBeGreaterThan(200_000);
  const watched = await get(`${toys}?watch=true&timeoutSeconds=1`, { "accept-encoding": "gzip" });
  expect(watched.headers["content-encoding"]).toBeUndefined();
  expect(watched.body.length).toBeGreaterThan(200_000);
});
