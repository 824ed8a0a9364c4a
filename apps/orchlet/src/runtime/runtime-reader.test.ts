import type { CriClient } from "@orchernetes/cri";
import { expect, test } from "vitest";
import { containerNameLabel, podNameLabel, podNamespaceLabel, podUidLabel } from "./labels.ts";
import { createRuntimeReader } from "./runtime-reader.ts";

const pod = { uid: "u1", name: "web", namespace: "default" };

/** A runtime with containers in these states; what was asked for of each. */
function runtime(states: Record<string, string>) {
  const asked: string[] = [];
  const cri = {
    runtime: {
      listPodSandbox: async () => ({ items: [] }),
      listContainers: async () => ({
        containers: Object.entries(states).map(([id, state]) => ({
          id,
          state,
          podSandboxId: "s0",
          labels: { [podUidLabel]: "u1", [containerNameLabel]: id },
        })),
      }),
      async containerStatus({ containerId }: { containerId: string }) {
        asked.push(containerId);
        const status = { state: states[containerId], createdAt: 1n, startedAt: 2n, finishedAt: 3n };
        return { status: { ...status, annotations: {}, mounts: [], logPath: "", message: "", exitCode: 0 } };
      },
    },
  } as unknown as CriClient;
  return { asked, reader: createRuntimeReader(cri) };
}

test("the status of a container is read again only if its state in the list has changed", async () => {
  const states: Record<string, string> = { a: "CONTAINER_RUNNING", b: "CONTAINER_EXITED", c: "CONTAINER_CREATED" };
  const { asked, reader } = runtime(states);
  const phases = async () =>
    Object.fromEntries((await reader.read(pod)).containers.map(({ name, phase }) => [name, phase]));
  expect(await phases()).toEqual({ a: "running", b: "exited", c: "created" });
  states.c = "CONTAINER_RUNNING";
  await phases();
  await phases();
  expect(asked).toEqual(["a", "b", "c", "c"]);
  states.a = "CONTAINER_EXITED";
  expect(await phases()).toEqual({ a: "exited", b: "exited", c: "running" });
  expect(asked.slice(4)).toEqual(["a"]);
  reader.forget(new Set(["a", "b"]));
  await phases();
  expect(asked.slice(5)).toEqual(["c"]);
});

test("the status of a sandbox is read again until it has an address, and when it is no longer ready", async () => {
  const asked: string[] = [];
  const labels = { [podUidLabel]: "u1", [podNameLabel]: "web", [podNamespaceLabel]: "default" };
  let [state, ip] = ["SANDBOX_READY", ""];
  let items = [{ id: "s0", labels }];
  const cri = {
    runtime: {
      listPodSandbox: async () => ({ items: items.map((item) => ({ ...item, state })) }),
      listContainers: async () => ({ containers: [] }),
      async podSandboxStatus({ podSandboxId }: { podSandboxId: string }) {
        asked.push(podSandboxId);
        const metadata = { attempt: 0 };
        return {
          status: {
            id: podSandboxId,
            state,
            metadata,
            createdAt: 1n,
            network: { ip, additionalIps: [] },
            annotations: {},
          },
        };
      },
    },
  } as unknown as CriClient;
  const reader = createRuntimeReader(cri);
  const sandboxes = async () => (await reader.read(pod)).sandboxes.map(({ id, ready, ips }) => [id, ready, ...ips]);
  expect(await sandboxes()).toEqual([["s0", true]]);
  ip = "10.0.0.2";
  expect(await sandboxes()).toEqual([["s0", true, ip]]);
  expect(await sandboxes()).toEqual([["s0", true, ip]]);
  expect(asked).toHaveLength(2);
  state = "SANDBOX_NOTREADY";
  expect(await sandboxes()).toEqual([["s0", false, ip]]);
  expect(asked).toHaveLength(3);
  state = "SANDBOX_READY";
  await sandboxes();
  items = [];
  await reader.outline();
  items = [{ id: "s0", labels }];
  await sandboxes();
  expect(asked).toHaveLength(5);
});

test.each([
  ["a uid that leads elsewhere", { [podUidLabel]: "../../x" }],
  ["a name that leads elsewhere", { [podUidLabel]: "u1", [podNameLabel]: "../../x" }],
  ["a namespace that leads elsewhere", { [podUidLabel]: "u1", [podNamespaceLabel]: "../../x" }],
  ["no uid", { [podUidLabel]: "" }],
])("a sandbox whose labels have %s is no pod of this agent", async (_, labels) => {
  const items = [
    { id: "s0", state: "SANDBOX_READY", labels },
    { id: "s1", state: "SANDBOX_READY", labels: { [podUidLabel]: "u2", [podNameLabel]: "web" } },
  ];
  const cri = {
    runtime: { listPodSandbox: async () => ({ items }), listContainers: async () => ({ containers: [] }) },
  } as unknown as CriClient;
  expect([...(await createRuntimeReader(cri).outline()).keys()]).toEqual(["u2"]);
});
