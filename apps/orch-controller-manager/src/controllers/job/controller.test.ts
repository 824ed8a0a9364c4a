import { type FakeApiServer, startFakeApiServer } from "@orchernetes/client/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { template } from "../../testing/builders.ts";
import { startControllers } from "../../testing/start-controller.ts";
import { jobController } from "./controller.ts";
import { trackingFinalizer } from "./job-pods.ts";

const jobsPath = "/apis/batch/v1/jobs";
const podsPath = "/api/v1/pods";
let server: FakeApiServer;
let stop: (() => Promise<void>) | undefined;
beforeEach(async () => {
  server = await startFakeApiServer();
});
afterEach(async () => {
  await stop?.();
  stop = undefined;
  await server.close();
});

test("a surplus pod that succeeds at that moment is counted and not deleted", async () => {
  const { metadata: job } = server.put(jobsPath, {
    metadata: { name: "j", namespace: "ns", generation: 1 },
    spec: { parallelism: 0, completions: 3, selector: { matchLabels: { app: "x" } }, template: template() },
    status: {},
  });
  const ownerReferences = [{ apiVersion: "batch/v1", kind: "Job", name: "j", uid: job.uid, controller: true }];
  const { metadata } = server.put(podsPath, {
    metadata: { name: "p", namespace: "ns", labels: { app: "x" }, finalizers: [trackingFinalizer], ownerReferences },
    spec: { containers: [] },
    status: { phase: "Running" },
  });
  let ended = false;
  server.hook = ({ method, path }) => {
    if (method !== "PATCH" || !path.endsWith("/pods/p") || ended) return undefined;
    ended = true;
    const [pod] = server.objects(podsPath);
    if (pod !== undefined) server.put(podsPath, { ...pod, status: { phase: "Succeeded" } });
    return undefined;
  };
  stop = startControllers(server, [jobController]);
  await vi.waitFor(
    () => {
      expect(ended).toBe(true);
      expect(server.objects(jobsPath)[0]?.status).toMatchObject({
        uncountedTerminatedPods: { succeeded: [metadata.uid] },
      });
    },
    { timeout: 20_000 },
  );
  expect(server.requests.filter(({ method }) => method === "DELETE")).toEqual([]);
});
