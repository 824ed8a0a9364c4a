import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type TestServer } from "./harness.ts";

let server: TestServer;
const toys = "/apis/toys.example.com/v1/namespaces/ns/toys";
beforeAll(async () => {
  server = await startServer();
  await server.call("POST", toys, { metadata: { name: "toy" } });
});
afterAll(() => server.stop());

const json = "application/json-patch+json";
const merge = "application/merge-patch+json";
const strategic = "application/strategic-merge-patch+json";

test.each([
  ["a JSON patch", json, [{ op: "add", path: "/spec/size", value: "large" }], ""],
  ["a merge patch", merge, { spec: { size: "large" } }, ""],
  ["a strategic patch", strategic, { spec: { size: "large" } }, ""],
  ["a JSON patch that leaves no object", json, [{ op: "replace", path: "", value: [] }], ""],
  ["a strict patch with an unknown field", merge, { spec: { odd: 1 } }, "?fieldValidation=Strict"],
])("%s whose result is not of the kind is 422 with the cause `patch`", async (_, type, patch, query) => {
  const { status, body } = await server.call("PATCH", `${toys}/toy${query}`, patch, { "content-type": type });
  expect([status, body.reason, body.details.causes.map(({ field }: { field: string }) => field)]).toEqual([
    422,
    "Invalid",
    ["patch"],
  ]);
  expect(body.message).toMatch(/^ "" is invalid: patch: Invalid value: /);
});

const apply = (name: string, metadata: object) =>
  server.call(
    "PATCH",
    `${toys}/${name}?fieldManager=a`,
    { apiVersion: "toys.example.com/v1", kind: "Toy", metadata: { name, ...metadata } },
    { "content-type": "application/apply-patch+yaml" },
  );

test.each([
  ["a uid", { uid: "11111111-2222-3333-4444-555555555555" }, "uid mismatch: the provided object specified uid"],
  ["a resourceVersion", { resourceVersion: "1" }, "the object has been modified"],
])("an apply with %s creates nothing", async (_, metadata, message) => {
  const { status, body } = await apply("missing", metadata);
  expect([status, body.reason, body.message]).toEqual([409, "Conflict", expect.stringContaining(message)]);
  expect((await server.call("GET", `${toys}/missing`)).status).toBe(404);
});

test("an apply with another uid changes nothing", async () => {
  const { status, body } = await apply("toy", { uid: "11111111-2222-3333-4444-555555555555" });
  expect([status, body.message]).toEqual([422, expect.stringContaining("metadata.uid: Invalid value")]);
});
