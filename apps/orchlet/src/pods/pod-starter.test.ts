import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { core } from "@orchernetes/api";
import { CriError } from "@orchernetes/cri";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noObjects } from "../objects/object-reader.ts";
import { emptyRuntime } from "../runtime/pod-runtime.ts";
import { testPod, testSandbox } from "../testing/pods.ts";
import { identityOf } from "../types/pod-identity.ts";
import { createPaths } from "../util/paths.ts";
import { createContainerKiller } from "./container-killer.ts";
import { createPodStarter, type PodStarter, type PodStarterOptions } from "./pod-starter.ts";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "o8s-starter-"));
});
afterAll(() => rm(dir, { recursive: true }));

const signal = new AbortController().signal;
const pause = () => new Promise((resolve) => setTimeout(resolve, 5));

/** A starter whose runtime ends its work when it is released, the longest first; `made` has what was begun, in order. */
function slowStarter(parallelStarts: number, runtime: object = {}, changes: Partial<PodStarterOptions> = {}) {
  const made: string[] = [];
  const handlers: string[] = [];
  const counts = { atOnce: 0, most: 0 };
  const working: (() => void)[] = [];
  const work = async (what: string): Promise<void> => {
    made.push(what);
    counts.most = Math.max(counts.most, ++counts.atOnce);
    await new Promise<void>((resolve) => working.push(resolve));
    counts.atOnce -= 1;
  };
  const options: Partial<PodStarterOptions> = {
    cri: {
      runtime: {
        async runPodSandbox(request: { config: { metadata: { name: string } }; runtimeHandler: string }) {
          handlers.push(request.runtimeHandler);
          await work(request.config.metadata.name);
        },
        async createContainer({ sandboxConfig }: { sandboxConfig: { metadata: { name: string } } }) {
          await work(`${sandboxConfig.metadata.name}/c`);
          return { containerId: "1" };
        },
        startContainer: async () => undefined,
        ...runtime,
      },
      images: { imageStatus: async () => ({ image: { id: "sha256:0" } }) },
    } as unknown as PodStarterOptions["cri"],
    killer: createContainerKiller({
      cri: { runtime } as unknown as PodStarterOptions["cri"],
      clock: systemClock,
      logger: silentLogger,
    }),
    puller: { ensure: async () => "sha256:0", forget: () => undefined },
    cgroups: { ensure: async () => "" } as unknown as PodStarterOptions["cgroups"],
    networkError: async () => undefined,
    runtimeHandlers: { of: async () => "special" },
    parallelStarts,
    clock: systemClock,
    paths: createPaths(dir),
    objects: () => noObjects.of(""),
    services: () => [],
    dns: async () => ({ resolvConf: "", clusterDNS: [], clusterDomain: "" }),
    security: { seccompDefault: false, seccompDir: "" },
    resources: {
      cpu: { quota: true, periodMs: 100 },
      memoryBytes: 1e9,
      allocatableMemoryBytes: 1e9,
      hugePageSizes: [],
      swapBehavior: undefined,
      memoryThrottlingFactor: undefined,
    },
    placement: () => ({}),
    prepareDevices: async () => ({ envs: new Map(), mounts: [], devices: [], cdiDevices: [], annotations: {} }),
    credentials: async () => [],
    ...changes,
  };
  return {
    starter: createPodStarter(options as PodStarterOptions),
    made,
    handlers,
    counts,
    release: () => working.shift()?.(),
  };
}

const burstOf = (count: number) => {
  const names = Array.from({ length: count }, (_, n) => `p${n}`);
  return { names, pods: names.map((name) => testPod({ serviceAccountName: "" }, { name, uid: name })) };
};

test("sandboxes of a burst are created a few at a time, in order, with the handler of their class", async () => {
  const { starter, made, handlers, counts, release } = slowStarter(3);
  const { names, pods } = burstOf(12);
  const all = Promise.all(pods.map((pod) => starter.createSandbox(pod, 0, () => undefined, signal)));
  for (let done = 0; done < 12; done++) {
    await expect.poll(() => made.length).toBe(Math.min(12, done + 3));
    release();
  }
  await all;
  expect(counts.most).toBe(3);
  expect(made).toHaveLength(12);
  expect(new Set(made.slice(0, 3))).toEqual(new Set(names.slice(0, 3)));
  expect(new Set(made.slice(0, 9))).toEqual(new Set(names.slice(0, 9)));
  expect(new Set(handlers)).toEqual(new Set(["special"]));
});

test("a pod that has a sandbox gets its container before other pods get sandboxes", async () => {
  const { starter, made, release } = slowStarter(1);
  const [first, second, third] = burstOf(3).pods;
  if (first === undefined || second === undefined || third === undefined) throw new Error("there are too few pods");
  const sandboxOf = (pod: core.Pod) => starter.createSandbox(pod, 0, () => undefined, signal);
  const begun = [sandboxOf(first), sandboxOf(second), sandboxOf(third)];
  await expect.poll(() => made).toEqual(["p0"]);
  release();
  await begun[0];
  begun.push(startContainer(starter, first));
  // The last thing that is done before the container waits for its turn.
  await expect.poll(() => existsSync(join(createPaths(dir).logs(identityOf(first)), "c"))).toBe(true);
  await pause();
  for (const done of ["p1", "p0/c", "p2"]) {
    await expect.poll(() => made.at(-1)).toBe(done);
    release();
  }
  await Promise.all(begun);
  expect(made).toEqual(["p0", "p1", "p0/c", "p2"]);
});

async function startContainer(starter: PodStarter, pod: core.Pod, events: string[] = []): Promise<void> {
  const [container] = pod.spec.containers;
  if (container === undefined) throw new Error("the pod has no container");
  await starter.startContainer({
    pod,
    ref: { kind: "regular", container },
    restartCount: 0,
    runtime: { ...emptyRuntime(identityOf(pod)), sandboxes: [testSandbox()] },
    volumes: new Map(),
    facts: { nodeName: "n", hostIPs: [], podIPs: [], allocatable: {} },
    recordEvent: (_, reason, message) => void events.push(`${reason}: ${message}`),
    signal,
  });
}

test.each([
  ["createContainer", "CreateContainerError"],
  ["startContainer", "RunContainerError"],
])("a failed start shows the message of the runtime, without its status code (%s)", async (method, reason) => {
  const { starter } = slowStarter(1, {
    createContainer: async () => ({ containerId: "1" }),
    [method]: async () => {
      throw new CriError(method, "Unknown", "failed to create containerd task");
    },
  });
  const started = startContainer(starter, testPod({ serviceAccountName: "" }));
  await expect(started).rejects.toMatchObject({ reason, message: "failed to create containerd task" });
});

test("a container whose postStart hook fails is stopped with its preStop hook, within the grace period of its pod", async () => {
  const calls: string[] = [];
  const { starter } = slowStarter(1, {
    createContainer: async () => ({ containerId: "1" }),
    async execSync({ cmd, timeout }: { cmd: string[]; timeout: number }) {
      calls.push(`${cmd.join(" ")} within ${timeout} s`);
      return { stdout: Buffer.alloc(0), stderr: Buffer.from("secret"), exitCode: cmd[0] === "greet" ? 1 : 0 };
    },
    stopContainer: async ({ timeout }: { timeout: number }) => void calls.push(`stopped after ${timeout} s`),
  });
  const lifecycle = { postStart: { exec: { command: ["greet"] } }, preStop: { exec: { command: ["flush"] } } };
  const containers = [{ name: "c", image: "i", lifecycle }];
  const pod = testPod({ serviceAccountName: "", terminationGracePeriodSeconds: 7, containers });
  const events: string[] = [];
  await expect(startContainer(starter, pod, events)).rejects.toMatchObject({ reason: "PostStartHookError" });
  expect(calls).toEqual(["greet within 3600 s", "flush within 7 s", "stopped after 7 s"]);
  expect(events).toEqual([
    "Created: Created container c",
    "Started: Started container c",
    "FailedPostStartHook: PostStartHook failed",
    "Killing: FailedPostStartHook",
  ]);
});

test.each<[string, Partial<PodStarterOptions>, object]>([
  [
    "network",
    { networkError: async () => "container runtime network not ready: x" },
    { reason: "NetworkNotReady", message: "network is not ready: container runtime network not ready: x" },
  ],
  [
    "control group",
    { cgroups: { ensure: () => Promise.reject(new Error("no space")) } as unknown as PodStarterOptions["cgroups"] },
    { reason: "FailedCreatePodContainer", message: "unable to ensure pod container exists: no space" },
  ],
])("without a %s, no sandbox is created, and the error says why", async (_, changes, error) => {
  const { starter, made } = slowStarter(1, {}, changes);
  await expect(starter.createSandbox(testPod({}), 0, () => undefined, signal)).rejects.toMatchObject(error);
  expect(made).toEqual([]);
});

test("a pod in the network of the host does not wait for the network of pods", async () => {
  const { starter, made, release } = slowStarter(1, {}, { networkError: async () => "x" });
  const created = starter.createSandbox(testPod({ hostNetwork: true }), 0, () => undefined, signal);
  await expect.poll(() => made).toEqual(["web"]);
  release();
  await created;
});
