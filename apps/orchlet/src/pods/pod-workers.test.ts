import type { core } from "@orchernetes/api";
import { expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import type { PodWorker } from "./pod-worker.ts";
import { PodWorkers } from "./pod-workers.ts";

let looks = 0;
/** A worker of a pod with this uid. */
function worker(uid: string, { startTime, phase = "Pending" }: Partial<core.PodStatus> = {}): PodWorker {
  const pod = { ...testPod({}, { uid }), status: { startTime } } as core.Pod;
  return {
    identity: { uid },
    get pod() {
      looks++;
      return pod;
    },
    status: { phase },
  } as unknown as PodWorker;
}

test("pods that hold resources are those that were admitted or started before, until they have terminated", () => {
  const workers = new PodWorkers();
  const startTime = "2023-06-01T00:00:00Z";
  workers.add(worker("waiting"));
  workers.add(worker("started", { startTime }));
  workers.add(worker("admitted"));
  workers.add(worker("failed", { startTime, phase: "Failed" }));
  workers.add(worker("succeeded", { phase: "Succeeded" }));
  const holding = () => workers.holding(new Set(["admitted", "succeeded", "gone"])).map(({ metadata }) => metadata.uid);
  expect(holding()).toEqual(["started", "admitted"]);
  workers.remove("started");
  expect(holding()).toEqual(["admitted"]);
});

test("pods that were rejected or wait are not looked through", () => {
  const workers = new PodWorkers();
  for (let index = 0; index < 1000; index++) workers.add(worker(`waiting-${index}`));
  workers.add(worker("admitted"));
  looks = 0;
  expect(workers.holding(new Set(["admitted"]))).toHaveLength(1);
  expect(looks).toBeLessThan(10);
});
