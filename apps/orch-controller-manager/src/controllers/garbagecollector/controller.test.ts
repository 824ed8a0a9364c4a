import type { FakeApiServer } from "@orchernetes/client/testing";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import { beforeEach, expect, test, vi } from "vitest";
import { pod } from "../../testing/builders.ts";
import { serverForTest, startControllers } from "../../testing/start-controller.ts";
import { garbageCollectorController } from "./controller.ts";

const documents: Readonly<Record<string, unknown>> = {
  "/api": { versions: ["v1"] },
  "/apis": { groups: [] },
  "/api/v1": {
    resources: [{ name: "pods", kind: "Pod", namespaced: true, verbs: ["get", "list", "watch", "delete"] }],
  },
};

let server: FakeApiServer;
beforeEach(async () => {
  server = await serverForTest();
  server.hook = ({ path }) => (path in documents ? { status: 200, body: documents[path] } : undefined);
});

const owned = (name: string, kind: string, uid: string, ownerName = "owner") => {
  const { spec, status, metadata } = pod(name, { owner: { apiVersion: "v1", kind, name: ownerName, uid } });
  return { metadata: { ...metadata }, spec, status };
};

test("an object without its owner is deleted, and one whose owner exists stays", async () => {
  server.put("/api/v1/pods", owned("orphan", "Pod", "uid-nobody"));
  const owner = server.put("/api/v1/pods", { metadata: { name: "owner", namespace: "ns" }, spec: {}, status: {} });
  server.put("/api/v1/pods", owned("dependent", "Pod", owner.metadata.uid ?? ""));
  startControllers(server, [garbageCollectorController]);
  const names = () =>
    server
      .objects("/api/v1/pods")
      .map(({ metadata }) => metadata.name)
      .sort();
  await vi.waitFor(() => expect(names()).toEqual(["dependent", "owner"]), { timeout: 4_000 });
});

test("an owner whose kind is not served is named in the log", async () => {
  server.put("/api/v1/pods", owned("puzzle", "Unknown", "uid-owner"));
  const keys: unknown[] = [];
  const logger = {
    ...silentLogger,
    error: (_: unknown, __: string, values?: Readonly<Record<string, unknown>>) => void keys.push(values?.key),
  };
  startControllers(server, [garbageCollectorController], {}, systemClock, { logger });
  const key = "[v1/Unknown, namespace: ns, name: owner, uid: uid-owner]";
  await vi.waitFor(() => expect(keys[0]).toBe(key), { timeout: 4_000 });
});

test("an owner with an invalid name is absent, and no request is sent for it", async () => {
  server.put("/api/v1/pods", owned("orphan", "Pod", "uid-nobody", "../../x"));
  const asked: string[] = [];
  server.hook = ({ path }) => {
    if (path in documents) return { status: 200, body: documents[path] };
    if (!path.includes("x")) return undefined;
    asked.push(path);
    return { status: 400, body: { kind: "Status", code: 400, reason: "BadRequest", message: "invalid path" } };
  };
  startControllers(server, [garbageCollectorController]);
  await vi.waitFor(() => expect(server.objects("/api/v1/pods")).toEqual([]), { timeout: 4_000 });
  expect(asked).toEqual([]);
});
