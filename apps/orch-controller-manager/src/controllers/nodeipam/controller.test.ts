import type { FakeApiServer } from "@orchernetes/client/testing";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import { beforeEach, expect, test, vi } from "vitest";
import { serverForTest, startControllers } from "../../testing/start-controller.ts";
import { nodeIpamController } from "./controller.ts";
import { parseNetwork } from "./ranges/network.ts";
import type { NodeIpamSettings } from "./settings.ts";

const nodesPath = "/api/v1/nodes";
const patience = { timeout: 8000 };
let server: FakeApiServer;
let errors: unknown[];
beforeEach(async () => {
  server = await serverForTest();
  errors = [];
});

const networks = (...texts: readonly string[]) => texts.flatMap((text) => parseNetwork(text) ?? []);

function start(ranges: Readonly<Record<string, number>>, ...services: readonly string[]): () => Promise<void> {
  const nodeipam: NodeIpamSettings = {
    isEnabled: true,
    fromObjects: false,
    clusterRanges: Object.entries(ranges).flatMap(([text, nodeBits]) =>
      networks(text).map((network) => ({ network, nodeBits })),
    ),
    serviceRanges: networks(...services),
  };
  const logger = { ...silentLogger, error: (error: unknown) => void errors.push(error) };
  return startControllers(server, [nodeIpamController], { nodeipam }, systemClock, { logger });
}
const putNode = (name: string, ...podCIDRs: readonly string[]): unknown =>
  server.put(nodesPath, {
    metadata: { name },
    spec: podCIDRs.length === 0 ? {} : { podCIDR: podCIDRs[0], podCIDRs },
    status: {},
  });
const assigned = () =>
  server.objects(nodesPath).map(({ metadata, spec }) => {
    const { podCIDR, podCIDRs = [] } = spec as { readonly podCIDR?: string; readonly podCIDRs?: readonly string[] };
    expect(podCIDR).toBe(podCIDRs[0]);
    return [metadata.name, ...podCIDRs];
  });
const reasons = () => server.objects("/api/v1/events").map(({ reason, message }) => [reason, message]);

test("nodes get ranges that neither nodes nor services have; in both families if there are two", async () => {
  putNode("a");
  putNode("b", "10.244.2.0/24", "fd00:0:0:1::/64");
  start({ "10.244.0.0/16": 24, "fd00::/48": 64 }, "10.244.0.0/23", "fd00::/112");
  await vi.waitFor(() => expect(assigned()[0]).toEqual(["a", "10.244.3.0/24", "fd00:0:0:2::/64"]), patience);
  putNode("c");
  await vi.waitFor(() => expect(assigned()[2]).toEqual(["c", "10.244.4.0/24", "fd00:0:0:3::/64"]), patience);
  expect(errors).toEqual([]);
});

test("a node without a range waits until one is free", async () => {
  putNode("a", "10.244.0.0/24");
  putNode("b", "10.244.1.0/24");
  putNode("c");
  start({ "10.244.0.0/23": 24 });
  await vi.waitFor(
    () => expect(reasons()).toEqual([["CIDRNotAvailable", "Node c status is now: CIDRNotAvailable"]]),
    patience,
  );
  server.remove(nodesPath, "b");
  await vi.waitFor(() => expect(assigned()).toContainEqual(["c", "10.244.1.0/24"]), patience);
});

test("a write whose outcome is unknown is repeated with the same range, and reported when it fails for long", async () => {
  let failures = 0;
  const sent: unknown[] = [];
  server.hook = ({ method, path, body }) => {
    if (method !== "PATCH" || !path.endsWith("/nodes/a")) return undefined;
    sent.push((JSON.parse(body) as { spec: { podCIDR: string } }).spec.podCIDR);
    failures += 1;
    if (failures > 3) return undefined;
    return { status: 504, body: { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Timeout", code: 504 } };
  };
  putNode("a");
  start({ "10.244.0.0/16": 24 });
  await vi.waitFor(() => expect(assigned()).toEqual([["a", "10.244.0.0/24"]]), patience);
  expect(sent).toEqual(Array(4).fill("10.244.0.0/24"));
  await vi.waitFor(
    () => expect(reasons()).toEqual([["CIDRAssignmentFailed", "Node a status is now: CIDRAssignmentFailed"]]),
    patience,
  );
});

test("a node with a range outside of the cluster's keeps it, and is no obstacle", async () => {
  putNode("a", "192.168.0.0/24");
  putNode("b");
  start({ "10.244.0.0/16": 24 });
  await vi.waitFor(() => expect(assigned()[1]).toEqual(["b", "10.244.0.0/24"]), patience);
  expect(assigned()[0]).toEqual(["a", "192.168.0.0/24"]);
  expect(errors.map(String)).toEqual(["Error: ranges of the node lie outside of those of the cluster: 192.168.0.0/24"]);
});

test("a new node of the name of a deleted one does not get the range that was meant for that", async () => {
  const { metadata } = server.put(nodesPath, { metadata: { name: "a" }, spec: {}, status: {} });
  let replaced = false;
  server.hook = ({ method, path }) => {
    if (method !== "PATCH" || !path.endsWith("/nodes/a") || replaced) return undefined;
    replaced = true;
    server.remove(nodesPath, "a");
    server.put(nodesPath, { metadata: { name: "a", uid: "another" }, spec: {}, status: {} });
    return undefined;
  };
  start({ "10.244.0.0/16": 24 });
  await vi.waitFor(() => expect(assigned()[0]).toHaveLength(2), patience);
  const patches = server.requests.filter(({ method }) => method === "PATCH").map(({ body }) => JSON.parse(body));
  // It may be tried more than once, but each time for one of the two.
  expect([...new Set(patches.map(({ metadata: { uid } }) => uid))]).toEqual([metadata.uid, "another"]);
});

test("two managers, one after the other, and others that write meanwhile: no range is given twice", async () => {
  for (let i = 0; i < 40; i++) putNode(`early-${i}`);
  const first = start({ "10.244.0.0/16": 24 });
  // It ends in the middle of its work.
  await vi.waitFor(() => expect(assigned().filter((node) => node.length === 2).length).toBeGreaterThan(5), patience);
  const ending = first();
  for (let i = 0; i < 40; i++) putNode(`late-${i}`);
  putNode("given", "10.244.70.0/24");
  await ending;
  start({ "10.244.0.0/16": 24 });
  await vi.waitFor(() => expect(assigned().every((node) => node.length === 2)).toBe(true), patience);
  const all = assigned().map(([, cidr]) => cidr);
  expect(all).toHaveLength(81);
  expect(new Set(all).size).toBe(81);
});
