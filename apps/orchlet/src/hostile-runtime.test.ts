import type { core } from "@orchernetes/api";
import type { FakeObject } from "@orchernetes/client/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { podNameLabel, podNamespaceLabel, podUidLabel } from "./runtime/labels.ts";
import { prepareAgent, type TestAgent } from "./testing/agent.ts";
import { testPod } from "./testing/pods.ts";

let agent: TestAgent;
beforeEach(async () => {
  agent = await prepareAgent();
});
afterEach(() => agent.close());

const pods = "/api/v1/pods";
const wait = { timeout: 20_000, interval: 20 };
const shown = (name: string) =>
  agent.api.objects(pods).find(({ metadata }) => metadata.name === name) as unknown as core.Pod | undefined;
const node = () => agent.api.objects("/api/v1/nodes")[0] as unknown as core.Node | undefined;
const longest = 2n ** 63n - 1n;

/** A list of the runtime, to which more is added. */
type Lists = Readonly<Record<string, (request: object) => Promise<Readonly<Record<string, readonly object[]>>>>>;

/** Adds entries to a list; those with a label only to lists that ask for it, or for none. */
function add(lists: Lists, method: string, member: string, entries: readonly object[]): void {
  const original = lists[method];
  Object.assign(lists, {
    async [method](request: { readonly filter?: { readonly labelSelector?: Readonly<Record<string, string>> } }) {
      const answer = (await original?.(request)) ?? {};
      const selector = Object.entries(request.filter?.labelSelector ?? {});
      const matching = entries.filter((entry) => {
        const labels: Readonly<Record<string, string>> = Reflect.get(entry, "labels") ?? {};
        return selector.every(([key, value]) => labels[key] === value);
      });
      return { ...answer, [member]: [...(answer[member] ?? []), ...matching] };
    },
  });
}

/** A pod whose status the agent has written as Running. */
async function expectRunning(name: string, spec: object = {}): Promise<void> {
  const pod = testPod({ nodeName: "node-a", ...spec }, { name, uid: `uid-${name}` });
  agent.api.put(pods, pod as unknown as FakeObject);
  await expect.poll(() => shown(name)?.status.phase, wait).toBe("Running");
}

test("while the runtime lists nonsense, pods run and the node reports its status", async () => {
  const runtime = agent.runtime.cri.runtime as unknown as Lists;
  const images = agent.runtime.cri.images as unknown as Lists;
  const orphan = { [podUidLabel]: "gone" };
  const outside = { [podUidLabel]: "../..", [podNameLabel]: "..", [podNamespaceLabel]: "/etc" };
  add(runtime, "listContainers", "containers", [
    { id: "", state: "CONTAINER_UNKNOWN", labels: {}, podSandboxId: "", createdAt: -longest },
    { id: "twice", state: "CONTAINER_RUNNING", labels: orphan, podSandboxId: "none", createdAt: longest },
    { id: "twice", state: "CONTAINER_EXITED", labels: orphan, podSandboxId: "none", createdAt: 0n },
    { id: "outside", state: "CONTAINER_RUNNING", labels: outside, podSandboxId: "none", createdAt: longest },
    ...Array.from({ length: 5000 }, (_, index) => ({
      ...{ id: `e${index}`, state: "CONTAINER_EXITED", labels: orphan, podSandboxId: "none", createdAt: longest },
    })),
  ]);
  add(runtime, "listPodSandbox", "items", [
    { id: "", state: "SANDBOX_READY", labels: {} },
    { id: "twice", state: "SANDBOX_READY", labels: orphan },
    { id: "twice", state: "SANDBOX_NOTREADY", labels: orphan },
    { id: "outside", state: "SANDBOX_READY", labels: outside },
  ]);
  add(
    images,
    "listImages",
    "images",
    Array.from({ length: 100_000 }, (_, index) => ({
      ...{ id: `sha256:${index}`, repoTags: [`i${index}:1`], repoDigests: [], pinned: false, size: index },
    })),
  );
  await agent.start();
  await expectRunning("web");
  await expect.poll(() => node()?.status?.images?.length, wait).toBe(50);
  await expectRunning("later");
});

test("a pod with missing or invalid container statuses does not affect others, and gets a status that can be written", async () => {
  const { runtime } = agent.runtime.cri as unknown as {
    readonly runtime: Record<string, (request: never) => Promise<{ status?: object }>>;
  };
  const { containerStatus, podSandboxStatus, stopContainer } = runtime;
  await agent.start();
  await expectRunning("web");
  await expectRunning("odd", { restartPolicy: "Never" });
  const nonsense = {
    metadata: undefined,
    annotations: { "io.orchernetes.container.restartCount": "many" },
    createdAt: longest,
    startedAt: -longest,
    finishedAt: longest,
    exitCode: -2_147_483_648,
    reason: "x".repeat(1_000_000),
    message: "y".repeat(1_000_000),
  };
  Object.assign(runtime, {
    async containerStatus(request: never) {
      const { status } = (await containerStatus?.(request)) ?? {};
      return { status: { ...status, ...nonsense, state: "CONTAINER_EXITED" } };
    },
  });
  const id = shown("odd")?.status.containerStatuses?.[0]?.containerID?.replace("containerd://", "");
  await stopContainer?.({ containerId: id } as never);
  const terminated = () => shown("odd")?.status.containerStatuses?.[0]?.state?.terminated;
  await expect.poll(terminated, wait).toBeDefined();
  expect(terminated()?.reason?.length).toBeLessThanOrEqual(1024);
  expect(shown("odd")?.status.containerStatuses?.[0]?.restartCount).toBe(0);
  expect(shown("web")?.status.phase).toBe("Running");

  Object.assign(runtime, { containerStatus });
  const additionalIps = [{ ip: "999.1.1.1" }, { ip: "10.0.0.9\n" }];
  Object.assign(runtime, {
    async podSandboxStatus(request: never) {
      const { status } = (await podSandboxStatus?.(request)) ?? {};
      return { status: { ...status, network: { ip: "10.0.0.2", additionalIps } } };
    },
  });
  await expectRunning("address");
  expect(shown("address")?.status.podIPs).toEqual([{ ip: "10.0.0.2" }]);

  Object.assign(runtime, { containerStatus: async () => ({}), podSandboxStatus: async () => ({}) });
  agent.api.put(pods, testPod({ nodeName: "node-a" }, { name: "none", uid: "uid-none" }) as unknown as FakeObject);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  Object.assign(runtime, { containerStatus, podSandboxStatus });
  await expectRunning("last");
});
