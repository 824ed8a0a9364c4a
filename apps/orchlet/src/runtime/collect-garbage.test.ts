import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CriClient } from "@orchernetes/cri";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Paths } from "../util/paths.ts";
import type { VolumeManager } from "../volumes/volume-manager.ts";
import { collectContainers, collectPodFolders, collectPodLogs, collectSandboxes } from "./collect-garbage.ts";
import { containerNameLabel, podUidLabel } from "./labels.ts";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "o8s-garbage-"));
});
afterEach(async () => await rm(dir, { recursive: true }));

/** A policy without limits. */
const none = { perContainer: -1, total: -1, minAgeMs: 0 };

/** A runtime with ended containers of one pod each, the first of which cannot be removed. */
function runtimeOf(ids: readonly string[], stuck: string) {
  const removed: string[] = [];
  const runtime = {
    listContainers: async () => ({
      containers: ids.map((id) => ({
        id,
        state: "CONTAINER_EXITED",
        createdAt: 0n,
        labels: { [podUidLabel]: id, [containerNameLabel]: "c" },
      })),
    }),
    containerStatus: async ({ containerId }: { containerId: string }) => ({
      status: { logPath: join(dir, containerId, "0.log") },
    }),
    removeContainer: async ({ containerId }: { containerId: string }) => {
      if (containerId === stuck) throw new Error(`${containerId} is stuck`);
      removed.push(containerId);
    },
  };
  return { cri: { runtime } as unknown as CriClient, removed };
}

test("a container that cannot be removed is reported, and does not prevent the removal of others", async () => {
  const { cri, removed } = runtimeOf(["a", "b", "c"], "a");
  await expect(collectContainers(cri, { ...none, perContainer: 0 }, 0)).rejects.toThrow("a is stuck");
  expect(removed).toEqual(["b", "c"]);
});

test("logs are deleted with their container, regardless of what is in their place", async () => {
  const { cri } = runtimeOf(["a"], "");
  await mkdir(join(dir, "a/0.log.1/deep"), { recursive: true });
  await mkdir(join(dir, "a/0.log"));
  await writeFile(join(dir, "a/1.log"), "");
  expect([...(await collectContainers(cri, { ...none, perContainer: 0 }, 0))]).toEqual([]);
  expect(await readdir(join(dir, "a"))).toEqual(["1.log"]);
});

test.each<[string, Partial<typeof none>, readonly string[]]>([
  ["no limit", {}, []],
  ["one per container", { perContainer: 1 }, ["a1", "a2", "b1"]],
  ["four on the node, so two of each container", { total: 4 }, ["a1"]],
  ["three on the node: one of each, and none of the oldest", { total: 3 }, ["a1", "a2", "b1"]],
  ["one on the node", { total: 1 }, ["a1", "a2", "a3", "b1"]],
  ["none on the node", { total: 0 }, ["a1", "a2", "a3", "b1", "b2"]],
  ["none, but only from an age on", { total: 0, minAgeMs: 7000 }, ["a1", "a2"]],
])("which dead containers are removed with %s", async (_, policy, want) => {
  const removed: string[] = [];
  const containers = ["a1", "a2", "a3", "b1", "b2"].map((id, i) => ({
    id,
    state: "CONTAINER_EXITED",
    createdAt: BigInt(i + 1) * 1_000_000_000n,
    labels: { [podUidLabel]: "u", [containerNameLabel]: id.slice(0, 1) },
  }));
  const running = { ...containers[0], id: "r", state: "CONTAINER_RUNNING" };
  const runtime = {
    listContainers: async () => ({ containers: [running, ...containers] }),
    containerStatus: async () => ({}),
    removeContainer: async ({ containerId }: { containerId: string }) => void removed.push(containerId),
  };
  await collectContainers({ runtime } as unknown as CriClient, { ...none, ...policy }, 9000);
  expect(removed.sort()).toEqual(want);
});

// The agent was killed between the creation and the start of such a container.
test.each<[string, Partial<typeof none>, (uid: string) => boolean, readonly string[]]>([
  ["goes before one that has run, which has a log", { perContainer: 1 }, () => false, ["replaced"]],
  ["goes with those that have run", { perContainer: 0 }, () => false, ["ended", "replaced"]],
  ["stays without a limit", {}, () => false, []],
  ["stays while it is young", { perContainer: 1, minAgeMs: 9000 }, () => false, []],
  ["goes even without a limit if its pod has terminated", {}, (uid) => uid === "v", ["new"]],
])("a container that was never started, and was replaced by another one, %s", async (_, policy, isOver, want) => {
  const removed: string[] = [];
  const one = (id: string, state: string, at: number, uid = "u") => ({
    ...{ id, state, createdAt: BigInt(at) * 1_000_000_000n },
    labels: { [podUidLabel]: uid, [containerNameLabel]: "c" },
  });
  const containers = [
    ...[one("ended", "CONTAINER_EXITED", 1), one("replaced", "CONTAINER_CREATED", 2), one("r", "CONTAINER_RUNNING", 3)],
    // This one may be about to be started.
    one("new", "CONTAINER_CREATED", 1, "v"),
  ];
  const runtime = {
    listContainers: async () => ({ containers }),
    containerStatus: async () => ({}),
    removeContainer: async ({ containerId }: { containerId: string }) => void removed.push(containerId),
  };
  await collectContainers({ runtime } as unknown as CriClient, { ...none, ...policy }, 9000, isOver);
  expect(removed.sort()).toEqual(want);
});

test("all containers of a terminated pod can be removed, whatever the policy", async () => {
  const { cri, removed } = runtimeOf(["a", "b"], "");
  await collectContainers(cri, { ...none, minAgeMs: 1e9 }, 0, (uid) => uid === "b");
  expect(removed).toEqual(["b"]);
});

test("dead sandboxes without containers are removed, but the newest one stays until its pod is over", async () => {
  const done: string[] = [];
  const sandbox = (id: string, pod: string, createdAt: number, state = "SANDBOX_NOTREADY") => ({
    ...{ id, state, createdAt: BigInt(createdAt), labels: { [podUidLabel]: pod } },
  });
  const items = [
    ...[sandbox("a1", "a", 1), sandbox("a2", "a", 2), sandbox("a3", "a", 3, "SANDBOX_READY")],
    ...[sandbox("b2", "b", 2), sandbox("b1", "b", 1), sandbox("c1", "c", 1), sandbox("d1", "over", 1)],
    { ...sandbox("other", "x", 1), labels: {} },
  ];
  const runtime = {
    listPodSandbox: async () => ({ items }),
    listContainers: async () => ({ containers: [{ id: "x", podSandboxId: "a2" }] }),
    async stopPodSandbox({ podSandboxId: id }: { podSandboxId: string }) {
      if (id === "a1") throw new Error("a1 is stuck");
      done.push(`stop ${id}`);
    },
    removePodSandbox: async ({ podSandboxId: id }: { podSandboxId: string }) => void done.push(`remove ${id}`),
  };
  await expect(collectSandboxes({ runtime } as unknown as CriClient, (uid) => uid === "over")).rejects.toThrow("stuck");
  expect(done).toEqual(["stop b1", "remove b1", "stop d1", "remove d1"]);
});

test("folders of unknown pods are removed and counted, including those that cannot be removed", async () => {
  for (const uid of ["known", "gone", "busy"]) await mkdir(join(dir, uid));
  const counts: number[][] = [];
  const remove = async (uid: string) => {
    if (uid === "busy") throw new Error("busy");
  };
  const collected = collectPodFolders(
    { pods: dir } as Paths,
    { remove } as VolumeManager,
    (uid) => uid === "known",
    (...count) => void counts.push(count),
  );
  await expect(collected).rejects.toThrow("busy");
  expect(counts).toEqual([[1, 1]]);
});

test("the log folders of unknown pods are removed, and nothing else", async () => {
  const podLogs = join(dir, "logs");
  for (const name of ["ns_p_known", "ns_p_gone/c", "ns_q_away", "other", "a_b"])
    await mkdir(join(podLogs, name), { recursive: true });
  await writeFile(join(podLogs, "ns_p_gone/c/0.log"), "");
  await collectPodLogs({ podLogs }, (uid) => uid === "known");
  expect((await readdir(podLogs)).sort()).toEqual(["a_b", "ns_p_known", "other"]);
});

test("a hundred thousand containers of one name are compared quickly", async () => {
  const labels = { [podUidLabel]: "u", [containerNameLabel]: "c" };
  const containers = Array.from({ length: 100_000 }, (_, index) => ({
    ...{ id: String(index), state: "CONTAINER_EXITED", createdAt: BigInt(index), labels },
  }));
  const cri = { runtime: { listContainers: async () => ({ containers }) } } as unknown as CriClient;
  const begun = performance.now();
  expect((await collectContainers(cri, none, 0)).size).toBe(100_000);
  expect(performance.now() - begun).toBeLessThan(5000);
});
