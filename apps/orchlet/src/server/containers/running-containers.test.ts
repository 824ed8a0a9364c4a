import { expect, test } from "vitest";
import type { RuntimeReader } from "../../runtime/runtime-reader.ts";
import { testContainer, testPod, testRuntime } from "../../testing/pods.ts";
import { createIsRunning } from "./running-containers.ts";

const pod = { uid: "u1", namespace: "default", name: "web" };

/** Looks at a runtime in which the container `c-0` runs until `phase` says otherwise. */
function looker() {
  const seen = { looks: 0, nowMs: 0, phase: "running" as "running" | "exited" };
  const reader: Pick<RuntimeReader, "read"> = {
    async read() {
      seen.looks += 1;
      return testRuntime([testContainer(testPod({}), { phase: seen.phase })]);
    },
  };
  return { seen, isRunning: createIsRunning(reader, { monotonicMs: () => seen.nowMs }) };
}

test("the runtime is read once per period and pod, regardless of the number of callers", async () => {
  const { seen, isRunning } = looker();
  const asked = Array.from({ length: 1000 }, () => isRunning(pod, "c-0"));
  expect([new Set(await Promise.all(asked)), seen.looks]).toEqual([new Set([true]), 1]);
  await isRunning({ ...pod, uid: "u2" }, "c-0");
  expect(seen.looks).toBe(2);
});

test("the end of a container is detected within the cache time", async () => {
  const { seen, isRunning } = looker();
  expect(await isRunning(pod, "c-0")).toBe(true);
  seen.phase = "exited";
  seen.nowMs = 500;
  expect([await isRunning(pod, "c-0"), seen.looks]).toEqual([false, 2]);
});

test("a container that the runtime does not know is not running", async () => {
  const { isRunning } = looker();
  expect(await isRunning(pod, "c-1")).toBe(false);
});
