import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type TestServer } from "./harness.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test.each([
  ["GET", "/nothing"],
  ["POST", "/nothing"],
  ["GET", "/apis/nothing.example.com"],
  ["GET", "/apis/nothing.example.com/v1"],
  ["GET", "/apis/nothing.example.com/v1/things"],
  ["POST", "/apis/nothing.example.com/v1/namespaces/a/things"],
])("%s %s, which nothing claims, is a page of text", async (method, path) => {
  const { status, headers, text } = await server.call(method, path);
  expect([status, headers.get("content-type"), text]).toEqual([
    404,
    "text/plain; charset=utf-8",
    "404 page not found\n",
  ]);
});

test.each([
  "/api/v9",
  "/api/v9/pods",
  "/api/v1/nothings",
  "/apis/toys.example.com/v9",
  "/apis/toys.example.com/v9/toys",
  "/apis/toys.example.com/v1/nothings",
  "/apis/toys.example.com/v1/namespaces/ns/toys/a/nothing",
])("%s, in a group of the server, is a Status", async (path) => {
  const { status, body } = await server.call("GET", path);
  expect([status, body?.message]).toEqual([404, "the server could not find the requested resource"]);
});
