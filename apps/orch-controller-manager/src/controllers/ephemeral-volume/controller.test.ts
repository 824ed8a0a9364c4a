import type { FakeApiServer } from "@orchernetes/client/testing";
import { createMetrics, type Metrics } from "@orchernetes/component";
import { systemClock } from "@orchernetes/kernel";
import { beforeEach, expect, test, vi } from "vitest";
import { serverForTest, startControllers } from "../../testing/start-controller.ts";
import { ephemeralVolumeController } from "./controller.ts";

const claimsPath = "/api/v1/persistentvolumeclaims";
let server: FakeApiServer;
let metrics: Metrics;
beforeEach(async () => {
  server = await serverForTest();
  metrics = createMetrics();
});

const start = (): void => {
  startControllers(server, [ephemeralVolumeController], {}, systemClock, { metrics });
};
const putPod = (): unknown =>
  server.put("/api/v1/pods", {
    metadata: { name: "p", namespace: "ns" },
    spec: { containers: [], volumes: [{ name: "v", ephemeral: { volumeClaimTemplate: { spec: { resources: {} } } } }] },
    status: {},
  });
const claimNames = () => server.objects(claimsPath).map(({ metadata }) => metadata.name);
const events = () => server.objects("/api/v1/events").map(({ reason, message }) => [reason, message]);

test("a claim that is deleted while its pod exists is made again", async () => {
  putPod();
  start();
  await vi.waitFor(() => expect(claimNames()).toEqual(["p-v"]), { timeout: 4000 });
  const before = server.objects(claimsPath)[0]?.metadata.uid;
  server.remove(claimsPath, "ns/p-v");
  await vi.waitFor(() => expect(claimNames()).toEqual(["p-v"]), { timeout: 4000 });
  expect(server.objects(claimsPath)[0]?.metadata.uid).not.toBe(before);
  expect(metrics.render()).toContain("ephemeral_volume_controller_create_total 2");
});

test("a claim that cannot be created is reported and retried", async () => {
  let refused = 0;
  server.hook = ({ method, path }) => {
    if (method !== "POST" || !path.endsWith("/persistentvolumeclaims") || refused === 2) return undefined;
    refused += 1;
    const message = "exceeded quota";
    return { status: 403, body: { kind: "Status", apiVersion: "v1", status: "Failure", code: 403, message } };
  };
  putPod();
  start();
  await vi.waitFor(() => expect(claimNames()).toEqual(["p-v"]), { timeout: 4000 });
  await vi.waitFor(
    () => expect(events()).toEqual([["FailedBinding", "ephemeral volume v: create PVC p-v: exceeded quota"]]),
    { timeout: 4000 },
  );
  expect(metrics.render()).toContain("ephemeral_volume_controller_create_failures_total 2");
});

test("somebody else's claim is left alone and reported", async () => {
  server.put(claimsPath, { metadata: { name: "p-v", namespace: "ns" }, spec: {} });
  putPod();
  start();
  const message = "ephemeral volume v: PVC ns/p-v was not created for pod ns/p (pod is not owner)";
  await vi.waitFor(() => expect(events()).toEqual([["FailedBinding", message]]), { timeout: 4000 });
  expect(claimNames()).toEqual(["p-v"]);
});
