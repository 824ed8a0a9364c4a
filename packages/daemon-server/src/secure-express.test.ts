import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:http2";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createSecureServing, readBody, type SecureServing } from "@orchernetes/component";
import { silentLogger } from "@orchernetes/kernel";
import express from "express";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expressHandler } from "./express-handler.ts";

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

async function overHttp1(port: number, path: string, body?: string): Promise<Answer> {
  const method = body === undefined ? "GET" : "POST";
  const request = httpsRequest({ port, host: "127.0.0.1", path, method, rejectUnauthorized: false, agent: false });
  request.end(body);
  const [response] = await once(request, "response");
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}

async function overHttp2(port: number, path: string, body?: string): Promise<Answer> {
  const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  try {
    const stream = session.request({ ":path": path, ":method": body === undefined ? "GET" : "POST" });
    stream.end(body);
    const [headers] = await once(stream, "response");
    return { status: headers[":status"], headers, body: await text(stream) };
  } finally {
    session.close();
  }
}

let serving: SecureServing;
let directory = "";
const end = new AbortController();

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "secure-express-"));
  const app = express();
  const router = express.Router();
  router.get("/pods/:name", (request, response) => {
    response.set("x-query", String(request.query.q)).json({ name: request.params.name, host: request.protocol });
  });
  router.post("/echo", async (request, response) => {
    response.type("text/plain").send(await readBody(request, 1024));
  });
  router.get("/fail", () => {
    throw new Error("on purpose");
  });
  app.set("env", "test");
  app.use("/v1", router);
  const tls = { certDir: directory, pairName: "test" };
  serving = await createSecureServing(
    { bindAddress: "127.0.0.1", port: 0, logger: silentLogger, signal: end.signal, tls },
    expressHandler(app),
  );
});

afterAll(async () => {
  end.abort();
  await serving.close();
  await rm(directory, { recursive: true });
});

test.each([
  ["HTTP/1.1", overHttp1],
  ["HTTP/2", overHttp2],
] as const)("express answers over %s: params, JSON, bodies without a length, errors, 404", async (_name, call) => {
  const { port } = serving;
  expect(await call(port, "/v1/pods/web-0?q=1")).toMatchObject({
    status: 200,
    body: '{"name":"web-0","host":"https"}',
    headers: { "x-query": "1", "content-type": "application/json; charset=utf-8" },
  });
  expect(await call(port, "/v1/echo", "hello")).toMatchObject({ status: 200, body: "hello" });
  expect((await call(port, "/v1/fail")).status).toBe(500);
  expect((await call(port, "/nothing")).status).toBe(404);
});
