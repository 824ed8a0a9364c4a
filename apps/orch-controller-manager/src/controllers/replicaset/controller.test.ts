import type { FakeApiServer } from "@orchernetes/client/testing";
import { beforeEach, expect, test, vi } from "vitest";
import { replicaSet } from "../../testing/builders.ts";
import { serverForTest, startControllers } from "../../testing/start-controller.ts";
import { replicaSetController } from "./index.ts";

let server: FakeApiServer;
beforeEach(async () => {
  server = await serverForTest();
  server.prepare = (_, object) => ({ ...object, status: { phase: "Pending" } });
});

test("pods whose creation was carried out without a response are not created again", async () => {
  const { metadata, spec, status } = replicaSet("r", { replicas: 3 });
  server.put("/apis/apps/v1/replicasets", { metadata: { ...metadata }, spec, status });
  let posts = 0;
  let blindUntilMs = 0;
  server.hook = ({ method, path, query, body }) => {
    const isWatch = query.get("watch") === "true" && path.endsWith("/pods");
    if (isWatch && performance.now() < blindUntilMs) return "drop";
    if (method !== "POST" || !path.endsWith("/pods") || posts++ > 0) return undefined;
    // The connection breaks, with its watches; the pod is in the store.
    blindUntilMs = performance.now() + 500;
    server.endWatches();
    const made = JSON.parse(body);
    server.put("/api/v1/pods", { ...made, metadata: { ...made.metadata, name: "r-1", namespace: "ns" } });
    return "drop";
  };
  startControllers(server, [replicaSetController]);
  await vi.waitFor(
    () => {
      expect(server.objects("/api/v1/pods")).toHaveLength(3);
      expect(server.objects("/apis/apps/v1/replicasets")[0]?.status).toMatchObject({ replicas: 3 });
    },
    { timeout: 20_000 },
  );
  expect(posts).toBe(3);
});

test("a create that times out holds nothing up", async () => {
  const { metadata, spec, status } = replicaSet("r", { replicas: 3 });
  server.put("/apis/apps/v1/replicasets", { metadata: { ...metadata }, spec, status });
  let timeouts = 1;
  const body = { kind: "Status", status: "Failure", reason: "Timeout", code: 504, message: "took too long" };
  server.hook = ({ method, path }) =>
    method === "POST" && path.endsWith("/pods") && timeouts-- > 0 ? { status: 504, body } : undefined;
  startControllers(server, [replicaSetController]);
  await vi.waitFor(() => expect(server.objects("/api/v1/pods")).toHaveLength(3), { timeout: 20_000 });
});
