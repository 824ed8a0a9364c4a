import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noObjects } from "../objects/object-reader.ts";
import { emptyRuntime } from "../runtime/pod-runtime.ts";
import { testPod, testSandbox } from "../testing/pods.ts";
import { identityOf } from "../types/pod-identity.ts";
import { createPaths } from "../util/paths.ts";
import { createPodStarter, type PodStarterOptions } from "./pod-starter.ts";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "o8s-starter-"));
});
afterAll(() => rm(dir, { recursive: true }));

const signal = new AbortController().signal;
const pause = () => new Promise((resolve) => setTimeout(resolve, 5));

/** A starter whose runtime takes its time; `made` has what was begun, in order. */
function slowStarter() {
  const made: string[] = [];
  const handlers: string[] = [];
  const counts = { atOnce: 0, most: 0 };
  const work = async (what: string): Promise<void> => {
    made.push(what);
    counts.most = Math.max(counts.most, ++counts.atOnce);
    await pause();
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
      },
      images: { imageStatus: async () => ({ image: { id: "sha256:0" } }) },
    } as unknown as PodStarterOptions["cri"],
    puller: { ensure: async () => "sha256:0", forget: () => undefined },
    cgroups: { ensure: async () => "" } as unknown as PodStarterOptions["cgroups"],
    runtimeHandlers: { of: async () => "special" },
    parallelStarts: 3,
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
  };
  return { starter: createPodStarter(options as PodStarterOptions), made, handlers, counts };
}

const burstOf = (count: number) => {
  const names = Array.from({ length: count }, (_, n) => `p${n}`);
  return { names, pods: names.map((name) => testPod({ serviceAccountName: "" }, { name, uid: name })) };
};

test("sandboxes of a burst are created a few at a time, in order, with the handler of their class", async () => {
  const { starter, made, handlers, counts } = slowStarter();
  const { names, pods } = burstOf(12);
  await Promise.all(pods.map((pod) => starter.createSandbox(pod, 0, () => undefined, signal)));
  expect(counts.most).toBe(3);
  expect(made).toHaveLength(12);
  expect(new Set(made.slice(0, 3))).toEqual(new Set(names.slice(0, 3)));
  expect(new Set(made.slice(0, 9))).toEqual(new Set(names.slice(0, 9)));
  expect(new Set(handlers)).toEqual(new Set(["special"]));
});

test("a pod of a burst that has its sandbox gets its containers before others get sandboxes", async () => {
  const { starter, made, counts } = slowStarter();
  const { pods } = burstOf(12);
  const started: string[] = [];
  await Promise.all(
    pods.map(async (pod) => {
      await starter.createSandbox(pod, 0, () => undefined, signal);
      const [container] = pod.spec.containers;
      if (container === undefined) throw new Error("the pod has no container");
      await starter.startContainer({
        pod,
        ref: { kind: "regular", container },
        restartCount: 0,
        runtime: { ...emptyRuntime(identityOf(pod)), sandboxes: [testSandbox()] },
        volumes: new Map(),
        facts: { nodeName: "n", hostIPs: [], podIPs: [], allocatable: {} },
        recordEvent: (_type, reason) => void (reason === "Started" && started.push(pod.metadata.name ?? "")),
        signal,
      });
    }),
  );
  expect(counts.most).toBe(3);
  expect(started).toHaveLength(12);
  // A place may be free for a moment while the agent prepares the container.
  const begun = (what: string): number => made.indexOf(what);
  expect(begun("p0/c")).toBeLessThan(begun("p8"));
  expect(begun("p5/c")).toBeLessThan(made.length - 3);
});
