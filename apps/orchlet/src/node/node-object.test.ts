import type { core } from "@orchernetes/api";
import { expect, test } from "vitest";
import {
  hasNewResources,
  type NodeIdentity,
  type NodeObservation,
  newNode,
  nodeAnnotations,
  nodeLabels,
  nodeStatus,
} from "./node-object.ts";

const now = new Date("2024-01-01T00:00:00Z");
const identity: NodeIdentity = {
  name: "Node-1",
  ips: ["10.0.0.1", "fd00::1"],
  labels: {},
  localVolumes: "/var/lib/orchlet/local-volumes",
  taints: [],
  unschedulable: false,
  providerID: "",
  port: 10250,
  machine: {
    cpus: 4,
    memoryBytes: 8 * 1024 ** 3,
    storageBytes: 100 * 1024 ** 3,
    hugePages: new Map(),
    machineID: "m",
    systemUUID: "s",
    bootID: "b",
    kernelVersion: "6.1",
    osImage: "Linux",
    architecture: "arm64",
    operatingSystem: "linux",
  },
  reservations: {
    maxPods: 110,
    podsPerCore: 0,
    systemReserved: {},
    orchReserved: {},
    evictionHard: {},
    reservedSystemCPUs: "",
  },
};
const calm = { memory: false, disk: false, pids: false };
const healthy: NodeObservation = {
  health: { errors: [], pressure: calm },
  runtimeVersion: "containerd://1.6",
  images: [],
};
const starting: NodeObservation = {
  ...healthy,
  health: { errors: ["no network"], pressure: calm },
  runtimeVersion: "",
};

// shows: --node-labels
test("a node has the well-known labels, which labels of the flags override", () => {
  expect(nodeLabels(identity)).toEqual({
    "beta.orchernetes.io/arch": "arm64",
    "beta.orchernetes.io/os": "linux",
    "orchernetes.io/arch": "arm64",
    "orchernetes.io/hostname": "node-1",
    "orchernetes.io/os": "linux",
  });
  expect(nodeLabels({ ...identity, labels: { "orchernetes.io/arch": "x", zone: "a" } })).toMatchObject({
    "orchernetes.io/arch": "x",
    zone: "a",
  });
});

const notReady = { key: "node.orchernetes.io/not-ready", effect: "NoSchedule" } as const;
const own = { key: "k", value: "v", effect: "NoExecute" } as const;

test.each<[string, readonly core.Taint[], NodeObservation, readonly core.Taint[] | undefined]>([
  ["a node that is ready has no taints", [], healthy, undefined],
  ["a node that is ready has those of its flags", [own], healthy, [own]],
  ["a node that is not ready keeps pods away", [own], starting, [own, notReady]],
  ["the taint is there once", [notReady], starting, [notReady]],
  [
    "the same key with another effect is another taint",
    [{ ...notReady, effect: "NoExecute" }],
    starting,
    [{ ...notReady, effect: "NoExecute" }, notReady],
  ],
])("%s", (_, taints, observation, want) => {
  expect(newNode({ ...identity, taints }, observation, now).spec.taints).toEqual(want);
});

test("a new node has the fields that are set, and no others", () => {
  expect(newNode(identity, healthy, now).spec).toEqual({});
  expect(newNode({ ...identity, unschedulable: true, providerID: "x://1" }, healthy, now)).toMatchObject({
    metadata: { name: "Node-1" },
    spec: { unschedulable: true, providerID: "x://1" },
  });
});

test("the addresses of a node are its own addresses and its name, in this order, whatever was reported before", () => {
  const before = nodeStatus(identity, healthy, undefined, now);
  const shown: core.NodeStatus = { ...before, addresses: [{ type: "ExternalIP", address: "192.0.2.1" }] };
  expect(nodeStatus(identity, healthy, shown, now)).toMatchObject({
    addresses: [
      { type: "InternalIP", address: "10.0.0.1" },
      { type: "InternalIP", address: "fd00::1" },
      { type: "Hostname", address: "Node-1" },
    ],
    daemonEndpoints: { orchletEndpoint: { Port: 10250 } },
  });
});

test("resources that others have written stay and are allocatable, but they do not change the node's own resources", () => {
  const shown: core.NodeStatus = {
    ...nodeStatus(identity, healthy, undefined, now),
    capacity: { cpu: "99", "example.com/gpu": "2" },
    allocatable: { cpu: "99", "example.com/gpu": "1" },
    volumesInUse: ["v"],
  };
  const status = nodeStatus(identity, healthy, shown, now);
  expect(status.capacity).toMatchObject({ cpu: "4", "example.com/gpu": "2" });
  expect(status.allocatable).toMatchObject({ cpu: "4", "example.com/gpu": "2" });
  expect(status.volumesInUse).toEqual(["v"]);
});

test("unhealthy devices of plugins are part of the capacity, but not allocatable", () => {
  const devices = { capacity: { "example.com/card": "3" }, allocatable: { "example.com/card": "1" } };
  const status = nodeStatus(identity, { ...healthy, devices }, undefined, now);
  expect([status.capacity?.["example.com/card"], status.allocatable?.["example.com/card"]]).toEqual(["3", "1"]);
  expect([hasNewResources(status), hasNewResources(status, devices.capacity)]).toEqual([true, false]);
});

test("while the runtime is unavailable, its last version and the last images are reported", () => {
  const images = [{ names: ["i"], sizeBytes: 1 }];
  const before = nodeStatus(identity, { ...healthy, images }, undefined, now);
  const status = nodeStatus(identity, starting, before, now);
  expect(status.nodeInfo?.containerRuntimeVersion).toBe("containerd://1.6");
  expect(status.images).toEqual(images);
  expect(status.conditions).toContainEqual(expect.objectContaining({ type: "Ready", status: "False" }));
  expect(nodeStatus(identity, starting, undefined, now).nodeInfo?.containerRuntimeVersion).toBe("");
});

// shows: --cloud-provider
test("a node of a cloud is tainted until it is initialized, reports the given address, and keeps the addresses that the cloud has set", () => {
  const ofCloud = {
    ...identity,
    taints: [{ key: "a", effect: "NoSchedule" as const }],
    cloud: { providedIp: "10.0.0.1" },
  };
  const { spec, metadata } = newNode(ofCloud, healthy, now);
  expect(spec?.taints).toEqual([
    { key: "a", effect: "NoSchedule" },
    { key: "node.cloudprovider.orchernetes.io/uninitialized", value: "true", effect: "NoSchedule" },
  ]);
  expect(metadata.annotations).toHaveProperty(["alpha.orchernetes.io/provided-node-ip"], "10.0.0.1");
  expect(newNode(identity, healthy, now).metadata.annotations).not.toHaveProperty([
    "alpha.orchernetes.io/provided-node-ip",
  ]);
  const addresses = [{ type: "InternalIP", address: "192.0.2.1" } as const];
  const shown = { ...nodeStatus(ofCloud, healthy, undefined, now), addresses };
  expect(nodeStatus(ofCloud, healthy, shown, now).addresses).toEqual(addresses);
  expect(nodeStatus(identity, healthy, shown, now).addresses).toHaveLength(3);
  expect(nodeStatus(ofCloud, healthy, { ...shown, addresses: [] }, now).addresses).toHaveLength(3);
});

test("volumes in use are unchanged until the agent knows them, and an empty list is written once", () => {
  const pressure = { memory: false, disk: false, pids: false };
  const observed = { health: { errors: [], pressure }, runtimeVersion: "", images: [] };
  const inUse = (volumesInUse: readonly string[] | undefined, shown: readonly string[] | undefined) => {
    const before = shown && { ...nodeStatus(identity, observed, undefined, now), volumesInUse: shown };
    return nodeStatus(identity, { ...observed, volumesInUse }, before, now).volumesInUse;
  };
  expect(inUse(undefined, ["a"])).toEqual(["a"]);
  expect(inUse(["b"], ["a"])).toEqual(["b"]);
  expect(inUse([], ["a"])).toEqual([]);
  expect(inUse([], undefined)).toBeUndefined();
});

// shows: enableControllerAttachDetach, --keep-terminated-pod-volumes
test.each([
  [{}, { "volumes.orchernetes.io/controller-managed-attach-detach": "true" }],
  [{ attachByController: false }, {}],
  [
    { keepTerminatedPodVolumes: true },
    {
      "volumes.orchernetes.io/controller-managed-attach-detach": "true",
      "volumes.orchernetes.io/keep-terminated-pod-volumes": "true",
    },
  ],
])("the annotations for the attach-detach controller with %j", (changes, want) => {
  expect(nodeAnnotations({ ...identity, localVolumes: "", ...changes })).toEqual(want);
});
