import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { createNodeController } from "./node-controller.ts";
import { type NodeIdentity, type NodeObservation, newNode } from "./node-object.ts";

const identity: NodeIdentity = {
  name: "a",
  ips: ["10.0.0.1"],
  labels: {},
  localVolumes: "",
  taints: [],
  unschedulable: false,
  providerID: "",
  port: 10250,
  machine: {
    ...{ cpus: 1, memoryBytes: 1024 ** 3, storageBytes: 1024 ** 3, hugePages: new Map(), machineID: "m" },
    ...{ systemUUID: "s", bootID: "second", kernelVersion: "6", osImage: "Linux", architecture: "amd64" },
    operatingSystem: "linux",
  },
  reservations: {
    ...{ maxPods: 110, podsPerCore: 0, systemReserved: {}, orchReserved: {}, evictionHard: {} },
    reservedSystemCPUs: "",
  },
};
const healthy: NodeObservation = {
  health: { errors: [], pressure: { memory: false, disk: false, pids: false } },
  runtimeVersion: "containerd://1.6",
  images: [],
};

async function flush(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve();
}

test("events report that the machine was rebooted, and whether the node is schedulable", async () => {
  const clock = new FakeClock();
  const first = { ...identity, machine: { ...identity.machine, bootID: "first" } };
  let stored = newNode(first, healthy, clock.now()) as Stored<core.Node>;
  const nodes = {
    get: async () => stored,
    patch: async (_: string, { status }: { status: core.NodeStatus }) => {
      stored = { ...stored, status: { ...stored.status, ...status } };
      return stored;
    },
  };
  const events: string[] = [];
  const abort = new AbortController();
  const controller = createNodeController({
    ...{
      client: { resource: () => nodes } as unknown as Client,
      identity,
      register: false,
      clock,
      logger: silentLogger,
    },
    ...{ observe: async () => healthy, updateMs: 10_000, reportMs: 60_000 },
    onTransition: (reason) => events.push(reason),
    onReboot: (bootId) => events.push(`Rebooted ${bootId}`),
  });
  const done = controller.run(abort.signal);
  const nextPeriod = async (unschedulable: boolean) => {
    stored = { ...stored, spec: { ...stored.spec, unschedulable } };
    clock.advance(10_000);
    await flush();
  };
  await flush();
  for (const unschedulable of [false, true, true, false]) await nextPeriod(unschedulable);
  expect(events.filter((event) => /Rebooted|Schedulable/.test(event))).toEqual([
    "Rebooted second",
    "NodeNotSchedulable",
    "NodeSchedulable",
  ]);
  abort.abort();
  clock.advance(10_000);
  await done;
});

test("events report the state of a new node", async () => {
  const events: string[] = [];
  const abort = new AbortController();
  const create = async (node: core.Node) => node as Stored<core.Node>;
  const controller = createNodeController({
    ...{ client: { resource: () => ({ create }) } as unknown as Client, identity, register: true },
    ...{ clock: new FakeClock(), logger: silentLogger, observe: async () => healthy },
    ...{ updateMs: 10_000, reportMs: 60_000, onTransition: (reason) => events.push(reason), onReboot: () => undefined },
  });
  const done = controller.run(abort.signal);
  await controller.registered;
  expect(events).toEqual(["NodeHasSufficientMemory", "NodeHasNoDiskPressure", "NodeHasSufficientPID"]);
  abort.abort();
  await done;
});
