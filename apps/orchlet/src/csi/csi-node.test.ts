import { type Client, createClient } from "@orchernetes/client";
import { type FakeApiServer, startFakeApiServer } from "@orchernetes/client/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type CsiNodeWriter, createCsiNodeWriter } from "./csi-node.ts";

const csiNodes = "/apis/storage.o8s.io/v1/csinodes";
const nodes = "/api/v1/nodes";
let api: FakeApiServer;
let client: Client;
let writer: CsiNodeWriter;
beforeEach(async () => {
  api = await startFakeApiServer();
  client = createClient({ server: api.url });
  api.put(nodes, { metadata: { name: "node-a", uid: "n1", labels: { zone: "a" } } });
  writer = createCsiNodeWriter({ client, nodeName: "node-a", registered: Promise.resolve() });
});
afterEach(async () => {
  client.close();
  await api.close();
});

const signal = new AbortController().signal;
const info = (changes: object = {}) => ({ nodeId: "id-1", maxVolumesPerNode: 0, ...changes });
const drivers = () => (api.objects(csiNodes)[0] as unknown as { spec: { drivers: object[] } }).spec.drivers;
const metadata = () => api.objects(nodes)[0]?.metadata;

test("a driver is in the CSINode, which is owned by the Node, and in an annotation and labels of the Node", async () => {
  const topology = { accessibleTopology: { segments: { zone: "a", "topology.example/rack": "7" } } };
  await writer.add("d.example", info({ maxVolumesPerNode: 5, ...topology }), signal);
  expect(api.objects(csiNodes)[0]?.metadata).toMatchObject({
    name: "node-a",
    ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "node-a", uid: "n1" }],
  });
  expect(drivers()).toEqual([
    {
      name: "d.example",
      nodeID: "id-1",
      topologyKeys: ["topology.example/rack", "zone"],
      allocatable: { count: 5 },
    },
  ]);
  expect(metadata()).toMatchObject({
    labels: { zone: "a", "topology.example/rack": "7" },
    annotations: { "csi.volume.orchernetes.io/nodeid": '{"d.example":"id-1"}' },
  });
});

test("a label may have the name of a property that every object has", async () => {
  await writer.add("d.example", info({ accessibleTopology: { segments: { constructor: "a" } } }), signal);
  expect(metadata()).toMatchObject({ labels: { zone: "a", constructor: "a" } });
});

test("two drivers that register at the same time are both in the CSINode, and a driver that is gone is not", async () => {
  await Promise.all([writer.add("a", info(), signal), writer.add("b", info({ nodeId: "id-2" }), signal)]);
  expect(drivers()).toEqual([
    { name: "a", nodeID: "id-1" },
    { name: "b", nodeID: "id-2" },
  ]);
  await writer.remove("a");
  expect(drivers()).toEqual([{ name: "b", nodeID: "id-2" }]);
  expect(metadata()?.annotations).toEqual({ "csi.volume.orchernetes.io/nodeid": '{"b":"id-2"}' });
  await writer.remove("b");
  expect(metadata()?.annotations ?? {}).toEqual({});
});

test("registering a driver again without a change writes nothing, and with another ID replaces the entry", async () => {
  await writer.add("a", info(), signal);
  const writes = () => api.requests.filter(({ method }) => method !== "GET").length;
  const before = writes();
  await writer.add("a", info(), signal);
  expect(writes()).toBe(before);
  await writer.add("a", info({ nodeId: "id-9" }), signal);
  expect(drivers()).toEqual([{ name: "a", nodeID: "id-9" }]);
});

test.each<[string, object, RegExp]>([
  ["contradicts a label", { accessibleTopology: { segments: { zone: "b" } } }, /topology value collision/],
  ["has no node id", { nodeId: "" }, /want 1 to 256 characters/],
  ["has an endless node id", { nodeId: "x".repeat(1000) }, /want 1 to 256 characters/],
])("a driver that %s is rejected", async (_, changes, message) => {
  await expect(writer.add("a", info(changes), signal)).rejects.toThrow(message);
  expect(api.objects(csiNodes)).toEqual([]);
});

test.each([-1, 2 ** 40])("a driver that reports %d as its limit has no limit", async (maxVolumesPerNode) => {
  await writer.add("a", info({ maxVolumesPerNode }), signal);
  expect(drivers()).toEqual([{ name: "a", nodeID: "id-1" }]);
});
