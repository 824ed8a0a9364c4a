import type { ContainerStatus, CriClient } from "@orchernetes/cri";
import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { containerNameLabel, podNameLabel, podNamespaceLabel, podUidLabel } from "./labels.ts";
import { createRuntimeReader } from "./runtime-reader.ts";

const pod = { uid: "u1", name: "web", namespace: "default" };

/** A runtime with containers in these states, whose statuses have these fields, too; what was asked for of each. */
function runtime(states: Record<string, string>, fields: Partial<ContainerStatus> = {}) {
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
        return {
          status: {
            ...status,
            annotations: {},
            mounts: [],
            logPath: "",
            reason: "",
            message: "",
            exitCode: 0,
            ...fields,
          },
        };
      },
    },
  } as unknown as CriClient;
  return { asked, reader: createRuntimeReader(cri, new FakeClock()) };
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

test.each([
  [
    "was given up because the agent that had asked for it was killed",
    "failed to create shim task: context canceled: unknown",
    "created",
  ],
  ["failed", 'exec: ": context canceled": executable file not found in $PATH: unknown', "exited"],
])("a container whose start %s", async (_, message, phase) => {
  const { reader } = runtime(
    { a: "CONTAINER_EXITED" },
    { reason: "StartError", message, startedAt: 0n, exitCode: 128 },
  );
  expect((await reader.read(pod)).containers).toMatchObject([{ name: "a", phase }]);
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
  const reader = createRuntimeReader(cri, new FakeClock());
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

test("addresses of a sandbox are in the order of the families of the node", async () => {
  const item = { id: "s0", state: "SANDBOX_READY", labels: { [podUidLabel]: "u1" } };
  const network = { ip: "10.0.0.2", additionalIps: [{ ip: "fd00::2" }] };
  const cri = {
    runtime: {
      listPodSandbox: async () => ({ items: [item] }),
      listContainers: async () => ({ containers: [] }),
      podSandboxStatus: async () => ({ status: { ...item, createdAt: 1n, network, annotations: {} } }),
    },
  } as unknown as CriClient;
  const { sandboxes } = await createRuntimeReader(cri, new FakeClock(), ["2001:db8::1", "192.0.2.1"]).read(pod);
  expect(sandboxes[0]?.ips).toEqual(["fd00::2", "10.0.0.2"]);
});

test.each([
  ["a uid that leads elsewhere", { [podUidLabel]: "../../x" }],
  ["a name that leads elsewhere", { [podUidLabel]: "u1", [podNameLabel]: "../../x" }],
  ["a namespace that leads elsewhere", { [podUidLabel]: "u1", [podNamespaceLabel]: "../../x" }],
  ["no uid", { [podUidLabel]: "" }],
])("a sandbox whose labels have %s is not a pod of this agent", async (_, labels) => {
  const items = [
    { id: "s0", state: "SANDBOX_READY", labels },
    { id: "s1", state: "SANDBOX_READY", labels: { [podUidLabel]: "u2", [podNameLabel]: "web" } },
  ];
  const cri = {
    runtime: { listPodSandbox: async () => ({ items }), listContainers: async () => ({ containers: [] }) },
  } as unknown as CriClient;
  expect([...(await createRuntimeReader(cri, new FakeClock()).outline()).keys()]).toEqual(["u2"]);
});

/** A pod of one sandbox and one container, what was asked, and a reader of it. */
function onePod() {
  const clock = new FakeClock();
  const asked: string[] = [];
  const labels = { [podUidLabel]: "u1", [podNameLabel]: "web", [podNamespaceLabel]: "default" };
  const seen = { container: "CONTAINER_RUNNING", status: "CONTAINER_RUNNING", ip: "10.0.0.2" };
  const ask = <T>(what: string, answer: T): T => {
    asked.push(what);
    return answer;
  };
  const times = { createdAt: 1n, startedAt: 2n, finishedAt: 3n };
  const cri = {
    runtime: {
      listPodSandbox: async () => ask("sandboxes", { items: [{ id: "s0", state: "SANDBOX_READY", labels }] }),
      listContainers: async () =>
        ask("containers", { containers: [{ id: "c0", state: seen.container, podSandboxId: "s0", labels }] }),
      podSandboxStatus: async () =>
        ask("sandbox", {
          status: {
            ...{ id: "s0", state: "SANDBOX_READY", createdAt: 1n, annotations: {} },
            network: { ip: seen.ip, additionalIps: [] },
          },
        }),
      containerStatus: async () =>
        ask("container", {
          status: { state: seen.status, ...times, annotations: {}, mounts: [], logPath: "", message: "", exitCode: 0 },
        }),
    },
  } as unknown as CriClient;
  return { clock, seen, asked, reader: createRuntimeReader(cri, clock) };
}

test("a pod that is unchanged in a newer list is not read again", async () => {
  const { clock, seen, asked, reader } = onePod();
  const runtime = await reader.read(pod);
  expect(reader.unchanged("u1", 0)).toBeUndefined();
  clock.advance(100);
  await reader.outline();
  asked.length = 0;
  expect(reader.unchanged("u1", 100)).toBe(runtime);
  // The list may have begun before something was done to the pod.
  expect(reader.unchanged("u1", 101)).toBeUndefined();
  expect(reader.unchanged("u2", 0)).toBeUndefined();
  clock.advance(3001);
  expect(reader.unchanged("u1", 100)).toBeUndefined();
  expect(asked).toEqual([]);
  seen.container = "CONTAINER_EXITED";
  await reader.outline();
  expect(reader.unchanged("u1", 100)).toBeUndefined();
});

test.each([
  ["a sandbox has no address yet", { ip: "" }],
  ["a container was not started yet", { container: "CONTAINER_CREATED", status: "CONTAINER_CREATED" }],
  ["a container ended after the list", { status: "CONTAINER_EXITED" }],
  ["the state of a container is unknown", { container: "CONTAINER_UNKNOWN", status: "CONTAINER_UNKNOWN" }],
])("a pod is read again as long as %s", async (_, found) => {
  const { seen, reader } = onePod();
  Object.assign(seen, found);
  await reader.read(pod);
  await reader.outline();
  expect(reader.unchanged("u1", 0)).toBeUndefined();
});

test("for a pod with an enormous list of containers, those that run and the newest ones are read, a few at a time", async () => {
  let [open, most] = [0, 0];
  const ids = Array.from({ length: 20_000 }, (_, index) => `c${index}`);
  const stateOf = (id: string) => (id === "c7" ? "CONTAINER_RUNNING" : "CONTAINER_EXITED");
  const labels = { [podUidLabel]: "u1", [containerNameLabel]: "c" };
  const cri = {
    runtime: {
      listPodSandbox: async () => ({ items: [] }),
      listContainers: async () => ({
        containers: ids.map((id, index) => ({ id, labels, state: stateOf(id), createdAt: BigInt(index) })),
      }),
      async containerStatus({ containerId: id }: { containerId: string }) {
        open += 1;
        most = Math.max(most, open);
        await new Promise((resolve) => setImmediate(resolve));
        open -= 1;
        const times = { createdAt: BigInt(id.slice(1)) * 1_000_000n, startedAt: 0n, finishedAt: 0n };
        const ended = { annotations: {}, mounts: [], logPath: "", reason: "", message: "", exitCode: 0 };
        return { status: { state: stateOf(id), ...times, ...ended } };
      },
    },
  } as unknown as CriClient;
  const { containers } = await createRuntimeReader(cri, new FakeClock()).read(pod);
  expect([containers.length, containers[0]?.id, containers.some(({ id }) => id === "c7")]).toEqual([
    1000,
    "c19999",
    true,
  ]);
  expect(most).toBeLessThanOrEqual(64);
});
