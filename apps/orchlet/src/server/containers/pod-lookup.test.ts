import type { core } from "@orchernetes/api";
import { expect, test } from "vitest";
import type { PodManager } from "../../pods/pod-manager.ts";
import type { PodWorker } from "../../pods/pod-worker.ts";
import type { ContainerObservation, PodRuntime } from "../../runtime/pod-runtime.ts";
import type { RuntimeReader } from "../../runtime/runtime-reader.ts";
import { testContainer, testPod, testRuntime, testSandbox } from "../../testing/pods.ts";
import { createPodLookup, type PodLookup } from "./pod-lookup.ts";

const pod = testPod({});

/** A lookup in which the pod `default/web` has this in the runtime, newest first, and this state in its status. */
function given(
  runtime: PodRuntime,
  state?: core.ContainerState,
): { readonly lookup: PodLookup; readonly worker: PodWorker } {
  const containerStatuses = state === undefined ? [] : [{ name: "c", state }];
  const worker = {
    identity: { uid: "u1", name: "web", namespace: "default" },
    status: { containerStatuses },
  } as unknown as PodWorker;
  const manager = {
    find: (namespace: string, name: string) => (namespace === "default" && name === "web" ? worker : undefined),
  } as unknown as PodManager;
  const reader = { read: () => Promise.resolve(runtime) } as unknown as RuntimeReader;
  return { lookup: createPodLookup(manager, reader), worker };
}
const container = (
  id: string,
  restartCount: number,
  phase: ContainerObservation["phase"],
  createdAtMs = restartCount,
) => testContainer(pod, { id, restartCount, phase, createdAtMs });
const error = (status: number, message: string) => expect.objectContaining({ status, message });

test("a pod is found by namespace, name and, if it is given, uid", () => {
  const { lookup, worker } = given(testRuntime());
  expect([lookup.pod("default", "web"), lookup.pod("default", "web", "u1")]).toEqual([worker, worker]);
  const missing = error(404, 'pod "web" does not exist');
  expect(() => lookup.pod("other", "web")).toThrow(missing);
  expect(() => lookup.pod("default", "web", "u2")).toThrow(missing);
  expect(() => lookup.pod("default", "web", "")).toThrow(missing);
});

test("commands run in the latest instance of a container while it runs", async () => {
  const running = given(testRuntime([container("new", 1, "running"), container("old", 0, "exited")]));
  expect((await running.lookup.runningContainer(running.worker, "c")).id).toBe("new");
  await expect(running.lookup.runningContainer(running.worker, "d")).rejects.toThrow(
    error(500, 'container not found ("d")'),
  );
});

test.each(["exited", "created", "unknown"] as const)(
  "commands do not find a container whose latest instance is %s, as in the original",
  async (phase) => {
    const { lookup, worker } = given(testRuntime([container("new", 1, phase), container("old", 0, "running")]));
    const notFound = error(500, 'container not found ("c")');
    await expect(lookup.runningContainer(worker, "c")).rejects.toThrow(notFound);
  },
);

test.each<[string, readonly ContainerObservation[], core.ContainerState | undefined, boolean, string]>([
  ["the running instance", [container("1", 1, "running"), container("0", 0, "exited")], undefined, false, "1"],
  ["an instance that has ended", [container("0", 0, "exited")], undefined, false, "0"],
  [
    "the instance before, on request",
    [container("1", 1, "running"), container("0", 0, "exited")],
    undefined,
    true,
    "0",
  ],
  [
    "the newest as the one before, while it waits for its restart",
    [container("1", 1, "exited"), container("0", 0, "exited")],
    { waiting: { reason: "CrashLoopBackOff" } },
    true,
    "1",
  ],
  [
    "the instance before one that runs already, whatever the status still says",
    [container("1", 1, "running"), container("0", 0, "exited")],
    { waiting: { reason: "CrashLoopBackOff" } },
    true,
    "0",
  ],
])("logs: %s", async (_, containers, state, previous, want) => {
  const { lookup, worker } = given(testRuntime(containers), state);
  expect((await lookup.loggedContainer(worker, "c", previous)).id).toBe(want);
});

test.each<[string, readonly ContainerObservation[], core.ContainerState | undefined, boolean, string]>([
  ["no instance and no status", [], undefined, false, 'container "c" in pod "web" is not available'],
  [
    "an image that is missing",
    [],
    { waiting: { reason: "ImagePullBackOff" } },
    false,
    'container "c" in pod "web" is waiting to start: trying and failing to pull image',
  ],
  [
    "an image that failed just now",
    [],
    { waiting: { reason: "ErrImagePull" } },
    false,
    'container "c" in pod "web" is waiting to start: image can\'t be pulled',
  ],
  [
    "an instance that has not started",
    [container("0", 0, "created")],
    { waiting: { reason: "ContainerCreating" } },
    false,
    'container "c" in pod "web" is waiting to start: ContainerCreating',
  ],
  [
    "no earlier instance",
    [container("0", 0, "running")],
    undefined,
    true,
    'previous terminated container "c" in pod "web" not found',
  ],
])("there are no logs of %s", async (_, containers, state, previous, message) => {
  const { lookup, worker } = given(testRuntime(containers), state);
  await expect(lookup.loggedContainer(worker, "c", previous)).rejects.toThrow(error(400, message));
});

test("ports are forwarded to the first sandbox, if it is ready", async () => {
  const ready = given(testRuntime([], [testSandbox({ id: "new" }), testSandbox({ id: "old", ready: false })]));
  expect(await ready.lookup.sandbox(ready.worker)).toBe("new");
  for (const sandboxes of [[], [testSandbox({ ready: false })]]) {
    const { lookup, worker } = given(testRuntime([], sandboxes));
    await expect(lookup.sandbox(worker)).rejects.toThrow(error(500, 'pod not found ("web_default")'));
  }
});
