import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type TestServer } from "./harness.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const toys = "/apis/toys.example.com/v1/namespaces/ns/toys";
const owner = (uid: string, more: object = {}) => ({ apiVersion: "v1", kind: "Pod", name: "p", uid, ...more });
const received = ".metadata.ownerReferences contains duplicate entries; API server dedups";
const admitted =
  ".metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups";

test("equal references are merged at creation, with a warning that names the owners", async () => {
  const ownerReferences = [owner("u1"), owner("u2"), owner("u1"), owner("u1", { blockOwnerDeletion: true })];
  const { body, headers } = await server.call("POST", toys, { metadata: { name: "made", ownerReferences } });
  expect(body.metadata.ownerReferences).toEqual([owner("u1"), owner("u2"), owner("u1", { blockOwnerDeletion: true })]);
  expect(headers.get("warning")).toContain(received);
  expect(headers.get("warning")).toContain("duplicate UID(s) observed: u1");
});

test("equal references are merged in updates and patches", async () => {
  await server.call("POST", toys, { metadata: { name: "changed" } });
  const metadata = { name: "changed", ownerReferences: [owner("u1"), owner("u1")] };
  const put = await server.call("PUT", `${toys}/changed`, { metadata });
  expect([put.body.metadata.ownerReferences, put.headers.get("warning")]).toEqual([
    [owner("u1")],
    expect.stringContaining(received),
  ]);
  const patch = { metadata: { ownerReferences: [owner("u2"), owner("u2")] } };
  const patched = await server.call("PATCH", `${toys}/changed`, patch, {
    "content-type": "application/merge-patch+json",
  });
  expect([patched.body.metadata.ownerReferences, patched.headers.get("warning")]).toEqual([
    [owner("u2")],
    expect.stringContaining(admitted),
  ]);
});

test("different references of one owner stay, without a warning", async () => {
  const ownerReferences = [owner("u1"), owner("u1", { name: "q" })];
  const { body, headers } = await server.call("POST", toys, { metadata: { name: "two", ownerReferences } });
  expect([body.metadata.ownerReferences, headers.get("warning")]).toEqual([ownerReferences, null]);
});
