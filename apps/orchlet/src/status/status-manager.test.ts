import type { core } from "@orchernetes/api";
import { createClient } from "@orchernetes/client";
import { type FakeApiServer, startFakeApiServer } from "@orchernetes/client/testing";
import { silentLogger } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { createStatusManager, type StatusManager } from "./status-manager.ts";

const pods = "/api/v1/pods";
const ready = (status: "True" | "False"): core.PodStatus =>
  ({
    phase: "Running",
    conditions: [{ type: "Ready", status, lastTransitionTime: "2024-01-01T00:00:00Z" }],
  }) as core.PodStatus;

let server: FakeApiServer;
let stop: AbortController;
/** The pod as the agent's watch has it. */
let shown: core.Pod;
let statuses: StatusManager;
const pod = testPod({});
const uid = pod.metadata.uid ?? "";

const stored = (): core.Pod => server.objects(pods)[0] as unknown as core.Pod;
const writes = (): number => server.requests.filter(({ method }) => method === "PATCH").length;
const set = async (status: core.PodStatus): Promise<void> => {
  statuses.set(shown, status);
  await statuses.flushed(uid);
};
/** Someone else changes the pod's status. */
const change = (status: object): void => {
  server.put(pods, { ...stored(), status: { ...stored().status, ...status } } as never);
};

beforeEach(async () => {
  server = await startFakeApiServer();
  stop = new AbortController();
  server.put(pods, { ...pod, status: {} } as never);
  shown = stored();
  statuses = createStatusManager({
    client: createClient({ server: server.url, signal: stop.signal }),
    shownBy: () => shown,
    logger: silentLogger,
    signal: stop.signal,
  });
});
afterEach(async () => {
  stop.abort();
  await server.close();
});

test("a status is written once, whether or not the watch has seen it", async () => {
  await set(ready("True"));
  expect(stored().status).toMatchObject(ready("True"));
  await set(ready("True"));
  shown = stored();
  await set(ready("True"));
  expect(writes()).toBe(1);
});

test("changes of the status by others are reverted", async () => {
  await set(ready("True"));
  change(ready("False"));
  shown = stored();
  await set(ready("True"));
  expect(stored().status).toMatchObject(ready("True"));
  await set(ready("True"));
  shown = stored();
  await set(ready("True"));
  expect(writes()).toBe(2);
});

test.each([
  [
    "a condition that others own",
    { conditions: [...(ready("True").conditions ?? []), { type: "Other", status: "True" }] },
  ],
  ["a field that others own", { nominatedNodeName: "n" }],
  [
    "its conditions in another order",
    { conditions: [{ type: "A", status: "True" }, ...(ready("True").conditions ?? [])] },
  ],
])("%s is not changed", async (_, status) => {
  await set(ready("True"));
  change(status);
  shown = stored();
  await set(ready("True"));
  expect(writes()).toBe(1);
  expect(stored().status).toMatchObject(status);
});

test("a terminal phase that others have set is not reverted", async () => {
  await set(ready("True"));
  change({ phase: "Failed" });
  shown = stored();
  await set(ready("True"));
  expect(stored().status?.phase).toBe("Failed");
});

test("a mirror pod shows that its static pod runs again", async () => {
  const annotations = { "orchernetes.io/config.mirror": "hash" };
  server.put(pods, {
    ...stored(),
    metadata: { ...stored().metadata, annotations },
    status: { phase: "Succeeded" },
  } as never);
  shown = stored();
  await set(ready("True"));
  expect(stored().status).toMatchObject(ready("True"));
});

test("a reason that others have set is removed", async () => {
  await set(ready("True"));
  change({ reason: "NodeLost" });
  shown = stored();
  await set(ready("True"));
  expect(stored().status?.reason).toBeUndefined();
});
