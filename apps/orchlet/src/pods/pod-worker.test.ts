import { silentLogger, systemClock } from "@orchernetes/kernel";
import { afterEach, expect, test } from "vitest";
import { fakeWorkerServices } from "../testing/pod-workers.ts";
import { testContainer, testPod, testRuntime, testSandbox } from "../testing/pods.ts";
import { VolumeError } from "../volumes/volume-manager.ts";
import { PodWorker } from "./pod-worker.ts";
import type { PodWorkerServices } from "./pod-worker-services.ts";

let stop = new AbortController();
afterEach(() => {
  stop.abort();
  stop = new AbortController();
});

/** A worker, and what it did with volumes. */
function worker(
  pod: ReturnType<typeof testPod>,
  runtime: ReturnType<typeof testRuntime>,
  changes: Partial<PodWorkerServices> = {},
) {
  const calls: string[] = [];
  const services = fakeWorkerServices(stop.signal, {
    volumes: {
      async prepare() {
        calls.push("prepare");
        return new Map();
      },
      release: async () => undefined,
      remove: async () => undefined,
      prepared: () => undefined,
      collect: async () => undefined,
    },
    release: async () => void calls.push("release"),
    ...changes,
  });
  services.give(runtime);
  const started = new PodWorker({ uid: "u1", name: "web", namespace: "default" }, pod, services);
  return { ...services, calls, started };
}
const ended = (exitCode: number) =>
  testRuntime(
    [testContainer(testPod({}), { phase: "exited", exitCode, finishedAtMs: 3 })],
    [testSandbox({ ready: false })],
  );

test.each([
  ["Succeeded", 0],
  ["Failed", 1],
])("a pod that has %s releases its volumes and control groups once, and stays", async (phase, exitCode) => {
  const { calls, statusOf, started, done } = worker(testPod({ restartPolicy: "Never" }), ended(exitCode));
  await expect.poll(() => [statusOf("u1")?.phase, calls]).toEqual([phase, ["release"]]);
  started.wake();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect([calls, done]).toEqual([["release"], []]);
});

test("a failed release of resources is retried", async () => {
  let tries = 0;
  const { statusOf } = worker(testPod({ restartPolicy: "Never" }), ended(0), {
    async release() {
      tries += 1;
      if (tries === 1) throw new Error("in use");
    },
  });
  await expect.poll(() => tries, { timeout: 10_000 }).toBe(2);
  expect(statusOf("u1")?.phase).toBe("Succeeded");
});

test("the volumes of a pod that ran before the agent started are updated", async () => {
  const pod = testPod({});
  const { calls, done, statusOf } = worker(pod, testRuntime([testContainer(pod)]));
  await expect.poll(() => calls).toEqual(["prepare"]);
  await expect.poll(() => statusOf("u1")?.phase).toBe("Running");
  expect(done).toEqual([]);
});

test("failed volumes are retried soon, even if the clock is set back by hours", async () => {
  let offsetMs = 0;
  let tries = 0;
  const { done } = worker(testPod({}), testRuntime([], []), {
    clock: { ...systemClock, now: () => new Date(Date.now() + offsetMs) },
    volumes: {
      async prepare() {
        tries += 1;
        if (tries > 1) return new Map();
        throw new VolumeError("v", "not yet");
      },
      release: async () => undefined,
      remove: async () => undefined,
      prepared: () => undefined,
      collect: async () => undefined,
    },
    recordEvent: (_pod, _container, _type, reason) => {
      if (reason === "FailedMount") offsetMs = -5 * 3_600_000;
    },
  });
  await expect.poll(() => [tries > 1, done[0]], { timeout: 10_000 }).toEqual([true, "sandbox u1"]);
});

test("a pod about which no decision can be made is tried again, and does not stop the agent", async () => {
  const pod = testPod({});
  const errors: unknown[] = [];
  const logger = { ...silentLogger, error: (error: unknown) => void errors.push(error) };
  // A time that no status can show.
  const strange = testRuntime([testContainer(pod, { startedAtMs: Number.NaN })]);
  const { give, statusOf, started } = worker(pod, strange, { logger });
  const end = expect(started.done).resolves.toBeUndefined();
  await expect.poll(() => errors.map(String)).toEqual([expect.stringContaining("RangeError")]);
  give(testRuntime([testContainer(pod)]));
  started.wake();
  await expect.poll(() => statusOf("u1")?.phase).toBe("Running");
  stop.abort();
  await end;
});

test("a sync of a pod in which nothing has happened does not call the runtime", async () => {
  const pod = testPod({});
  const runtime = testRuntime([testContainer(pod)]);
  const asked: [string, number][] = [];
  let isListed = true;
  const { statusOf, started } = worker(pod, runtime, {
    reader: {
      outline: async () => new Map(),
      async read() {
        asked.push(["read", 0]);
        return runtime;
      },
      unchanged(_, sinceMs) {
        asked.push(["listed", sinceMs]);
        return isListed && Number.isFinite(sinceMs) ? runtime : undefined;
      },
      forget: () => undefined,
    },
  });
  await expect.poll(() => statusOf("u1")?.phase).toBe("Running");
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(asked.at(-1)?.[0]).toBe("read");
  asked.length = 0;
  const before = performance.now();
  started.wake();
  await expect.poll(() => asked.map(([what]) => what)).toEqual(["listed"]);
  expect(asked[0]?.[1]).toBeLessThanOrEqual(before);
  isListed = false;
  started.wake();
  await expect.poll(() => asked.map(([what]) => what)).toEqual(["listed", "listed", "read"]);
  // A later round looks for a list that is newer than this one.
  expect(asked[1]?.[1]).toBeGreaterThanOrEqual(before);
});

test("an agent that stops starts no more containers of a pod that has many", async () => {
  const containers = Array.from({ length: 200 }, (_, index) => ({ name: `c${index}`, image: "i" }));
  const services = fakeWorkerServices(stop.signal);
  const { starter } = services;
  let started = 0;
  const { done } = new PodWorker({ uid: "u1", name: "web", namespace: "default" }, testPod({ containers }), {
    ...services,
    starter: {
      ...starter,
      startContainer(request) {
        started++;
        if (started === 3) stop.abort();
        return starter.startContainer(request);
      },
    },
  });
  await done;
  expect(started).toBe(3);
});
