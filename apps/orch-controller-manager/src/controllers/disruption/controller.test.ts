import type { FakeApiServer } from "@orchernetes/client/testing";
import { beforeEach, expect, test, vi } from "vitest";
import { meta, pod } from "../../testing/builders.ts";
import { serverForTest, startControllers } from "../../testing/start-controller.ts";
import { disruptionController } from "./controller.ts";

const budgetsPath = "/apis/policy/v1/poddisruptionbudgets";
let server: FakeApiServer;
let replicas = 3;
const documents: Readonly<Record<string, () => unknown>> = {
  "/apis/g": () => ({ versions: [{ version: "v1" }], preferredVersion: { version: "v1" } }),
  "/apis/g/v1": () => ({ resources: [{ name: "things", kind: "Thing", namespaced: true }] }),
  "/apis/g/v1/namespaces/ns/things/t/scale": () => ({ metadata: { name: "t", uid: "uid-t" }, spec: { replicas } }),
};
beforeEach(async () => {
  replicas = 3;
  server = await serverForTest();
  server.hook = ({ path }) => {
    const document = documents[path];
    return document && { status: 200, body: document() };
  };
});

test("many changes of the pods of a custom kind make few requests, and the latest scale counts in the end", async () => {
  const owner = { apiVersion: "g/v1", kind: "Thing", name: "t", uid: "uid-t", controller: true };
  const putPod = (name: string, ready: boolean): void => {
    const { metadata, spec, status } = pod(name, { owner, ready });
    server.put("/api/v1/pods", { metadata: { ...metadata }, spec, status });
  };
  server.put(budgetsPath, {
    metadata: { ...meta("b"), generation: 1 },
    spec: { maxUnavailable: 1, selector: { matchLabels: { app: "x" } } },
    status: {},
  });
  startControllers(server, [disruptionController]);
  const expected = (): unknown =>
    server.objects(budgetsPath).map(({ status }) => (status as { expectedPods?: number }).expectedPods)[0];
  for (let i = 0; i < 30; i++) {
    putPod(`p${i % 3}`, i % 2 === 0);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await vi.waitFor(() => expect(expected()).toBe(3), { timeout: 20_000 });
  const lookups = server.requests.filter(({ path }) => path in documents);
  expect(lookups.length).toBeLessThanOrEqual(6);
  replicas = 5;
  putPod("p0", false);
  await vi.waitFor(() => expect(expected()).toBe(5), { timeout: 20_000 });
});
