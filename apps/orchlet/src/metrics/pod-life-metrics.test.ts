import { createMetrics } from "@orchernetes/component";
import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { sourceAnnotation } from "../types/pod-identity.ts";
import { addPodLifeMetrics } from "./pod-life-metrics.ts";

const running = { name: "c", state: { running: {} } };
const waiting = { name: "c", state: { waiting: {} } };

function lives() {
  const clock = new FakeClock("2023-06-01T00:00:00Z");
  const metrics = createMetrics();
  const sum = (name: string, labels = "") => {
    const line = metrics
      .render(new Set([`orchlet_${name}`]))
      .split("\n")
      .find((each) => each.startsWith(`orchlet_${name}_sum${labels}`));
    return line === undefined ? undefined : Number(line.split(" ").at(-1));
  };
  return { clock, metrics, sum, lives: addPodLifeMetrics(metrics, clock) };
}

const created = { creationTimestamp: "2023-06-01T00:00:00Z" };

test("the start of a pod is measured from its arrival, and from its creation without image pulls", () => {
  const { clock, lives: pods, sum } = lives();
  clock.advance(2000);
  pods.added("u1", testPod({}, created));
  clock.advance(500);
  pods.begun("u1");
  pods.pulled("u1", 4000);
  pods.status("u1", { phase: "Pending" });
  clock.advance(5000);
  pods.status("u1", { phase: "Running", containerStatuses: [running, waiting] } as never);
  expect([sum("pod_worker_start_duration_seconds"), sum("pod_start_duration_seconds")]).toEqual([0.5, 5.5]);
  expect(sum("pod_start_sli_duration_seconds")).toBe(0);
  clock.advance(1000);
  pods.status("u1", { phase: "Running", containerStatuses: [running, running] } as never);
  expect(sum("pod_start_sli_duration_seconds")).toBe(4.5);
  pods.status("u1", { phase: "Running", containerStatuses: [running, running] } as never);
  expect([sum("pod_start_sli_duration_seconds"), sum("pod_start_duration_seconds")]).toEqual([4.5, 5.5]);
  expect(sum("containers_per_pod_count")).toBe(1);
});

test("no start is measured for pods that ran before, that end at once, that are static, or that have no creation time", () => {
  const { clock, lives: pods, sum } = lives();
  pods.added("before", { ...testPod({}, created), status: { phase: "Running" } } as never);
  pods.added("rejected", testPod({}, created));
  pods.added("static", testPod({}, { ...created, annotations: { [sourceAnnotation]: "file" } }));
  pods.added("gone", testPod({}, created));
  // As Go writes a time that is not set.
  pods.added("timeless", testPod({}, { creationTimestamp: null } as never));
  pods.forget("gone");
  clock.advance(1000);
  pods.status("rejected", { phase: "Failed" });
  for (const uid of ["before", "rejected", "static", "gone", "timeless"])
    pods.status(uid, { phase: "Running", containerStatuses: [running] } as never);
  expect([sum("pod_start_sli_duration_seconds"), sum("pod_start_duration_seconds")]).toEqual([0, 2]);
});

test("work on pods is measured by its kind, and restarted pods are counted", () => {
  const { lives: pods, sum, metrics } = lives();
  pods.worked("create", 2);
  pods.worked("kill", 1);
  expect(sum("pod_worker_duration_seconds", '{operation_type="create"}')).toBe(2);
  expect(sum("pod_worker_duration_seconds", '{operation_type="kill"}')).toBe(1);
  pods.restarted(testPod({}));
  expect(metrics.render(new Set(["orchlet_restarted_pods_total"]))).toContain('{static=""} 1\n');
});
