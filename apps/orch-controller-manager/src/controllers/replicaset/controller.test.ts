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
