import { protobufMediaType, success } from "@orchernetes/apimachinery";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RequestHandler } from "../src/index.ts";
import { startServer, type TestServer } from "./harness.ts";

/** Answers with a Status, as the handlers of bindings and evictions do. */
const echo: RequestHandler = {
  verbs: ["create"],
  handle: async () => ({ type: "object", object: success(undefined), status: 201 }),
};

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ handlers: { "toys.example.com/toys/echo": echo } });
});
afterAll(() => server.stop());

test.each([
  ["application/json", "application/json", /^\{"kind":"Status"/],
  [protobufMediaType, protobufMediaType, /^o8s\0.*Status.*Success/s],
  [`${protobufMediaType},application/json`, protobufMediaType, /^o8s\0.*Status.*Success/s],
])("the Status of a handler is sent as what a client accepts: %s", async (accept, type, text) => {
  const path = "/apis/toys.example.com/v1/namespaces/ns/toys/x/echo";
  const answer = await server.call("POST", path, { metadata: { name: "x" } }, { accept });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([201, type]);
  expect(answer.text).toMatch(text);
});
