import type { FakeApiServer, FakeObject } from "@orchernetes/client/testing";
import { beforeEach, expect, test, vi } from "vitest";
import { serverForTest, startControllers } from "../../../testing/start-controller.ts";
import { nodeIpamController } from "../controller.ts";
import { parseNetwork } from "../ranges/network.ts";
import { defaultClusterCidr } from "./default-cluster-cidr.ts";

const nodesPath = "/api/v1/nodes";
const cidrsPath = "/apis/networking.o8s.io/v1alpha1/clustercidrs";
const finalizer = "networking.o8s.io/cluster-cidr-finalizer";
const patience = { timeout: 8000 };
let server: FakeApiServer;
let stop: (() => Promise<void>) | undefined;
beforeEach(async () => {
  server = await serverForTest();
});

const clusterRanges = (...ranges: readonly (readonly [string, number])[]) =>
  ranges.flatMap(([text, nodeBits]) => {
    const network = parseNetwork(text);
    return network === undefined ? [] : [{ network, nodeBits }];
  });
function start(): void {
  const nodeipam = {
    isEnabled: true,
    fromObjects: true,
    clusterRanges: clusterRanges(["10.0.0.0/23", 24]),
    serviceRanges: clusterRanges(["10.0.0.0/24", 24]).map(({ network }) => network),
  };
  stop = startControllers(server, [nodeIpamController], { nodeipam });
}
const putCidr = (name: string, spec: object, metadata: object = {}): FakeObject =>
  server.put(cidrsPath, { metadata: { name, ...metadata }, spec: { perNodeHostBits: 8, ...spec } });
const putNode = (name: string, labels: object = {}): unknown =>
  server.put(nodesPath, { metadata: { name, labels }, spec: {}, status: {} });
const selectGpu = {
  nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [{ key: "gpu", operator: "Exists" }] }] },
};
const rangesOf = (name: string) =>
  (server.objects(nodesPath).find(({ metadata }) => metadata.name === name)?.spec as { podCIDRs?: unknown })?.podCIDRs;
const finalizersOf = (name: string) =>
  server.objects(cidrsPath).find(({ metadata }) => metadata.name === name)?.metadata.finalizers;
/** Asks for the deletion of an object, which its finalizers delay. */
function askToDelete(name: string): void {
  const object = server.objects(cidrsPath).find(({ metadata }) => metadata.name === name);
  if (object === undefined) throw new Error("not there");
  server.put(cidrsPath, { ...object, metadata: { ...object.metadata, deletionTimestamp: "2024-01-01T00:00:00Z" } });
}

test("the range of the flags becomes an object; nodes take their ranges of the object that fits best", async () => {
  putNode("plain");
  putNode("fast", { gpu: "yes" });
  putCidr("gpu", { ...selectGpu, ipv4: "10.1.0.0/16", ipv6: "fd00::/112" });
  start();
  // The first half of the default range belongs to services.
  await vi.waitFor(() => expect(rangesOf("plain")).toEqual(["10.0.1.0/24"]), patience);
  await vi.waitFor(() => expect(rangesOf("fast")).toEqual(["10.1.0.0/24", "fd00::/120"]), patience);
  expect(server.objects(cidrsPath)).toMatchObject([
    { metadata: { name: "default-cluster-cidr" }, spec: { perNodeHostBits: 8, ipv4: "10.0.0.0/23", ipv6: "" } },
    { metadata: { name: "gpu" } },
  ]);
  await vi.waitFor(
    () => expect([finalizersOf("default-cluster-cidr"), finalizersOf("gpu")]).toEqual([[finalizer], [finalizer]]),
    patience,
  );
});

test("nodes that find no range get one of an object that is created later", async () => {
  putNode("a");
  putNode("b");
  start();
  await vi.waitFor(() => expect(server.objects("/api/v1/events")).toHaveLength(1), patience);
  putCidr("more", { ipv4: "10.2.0.0/24" });
  await vi.waitFor(
    () => expect([rangesOf("a"), rangesOf("b")].sort()).toEqual([["10.0.1.0/24"], ["10.2.0.0/24"]]),
    patience,
  );
});

test("an object that is deleted gives no more ranges, and stays until no node has any of it", async () => {
  putCidr("gpu", { ...selectGpu, ipv4: "10.1.0.0/16" });
  putNode("fast", { gpu: "yes" });
  start();
  await vi.waitFor(() => expect(rangesOf("fast")).toEqual(["10.1.0.0/24"]), patience);
  await vi.waitFor(() => expect(finalizersOf("gpu")).toEqual([finalizer]), patience);
  askToDelete("gpu");
  // Nodes arrive over another watch: the controller knows of the deletion when it has seen what came after it.
  const select = { nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [{ key: "tpu", operator: "Exists" }] }] } };
  putCidr("after", { ...select, ipv4: "10.2.0.0/16" });
  await vi.waitFor(() => expect(finalizersOf("after")).toEqual([finalizer]), patience);
  putNode("later", { gpu: "yes" });
  // The selector would prefer the object that is being deleted. A restart changes nothing.
  await vi.waitFor(() => expect(rangesOf("later")).toEqual(["10.0.1.0/24"]), patience);
  await stop?.();
  start();
  putNode("last", { gpu: "yes" });
  await vi.waitFor(() => expect(server.objects("/api/v1/events")).toHaveLength(1), patience);
  expect(finalizersOf("gpu")).toEqual([finalizer]);
  server.remove(nodesPath, "fast");
  await vi.waitFor(() => expect(finalizersOf("gpu")).toBeUndefined(), patience);
});

test("an object that cannot be used is reported", async () => {
  putCidr("wide", { ipv6: "fd00::/48" });
  start();
  await vi.waitFor(
    () => expect(server.objects("/api/v1/events")).toMatchObject([{ reason: "InvalidClusterCIDR", type: "Warning" }]),
    patience,
  );
});

test.each([
  ["10.0.0.0/16 into /24", [["10.0.0.0/16", 24]], { perNodeHostBits: 8, ipv4: "10.0.0.0/16", ipv6: "" }],
  ["10.0.0.0/16 into /30", [["10.0.0.0/16", 30]], { perNodeHostBits: 4, ipv4: "10.0.0.0/16", ipv6: "" }],
  ["fd00::/56 into /64", [["fd00::/56", 64]], { perNodeHostBits: 64, ipv4: "", ipv6: "fd00::/56" }],
  [
    "both into /24 and /64",
    [
      ["fd00::/56", 64],
      ["10.0.0.0/16", 24],
    ],
    { perNodeHostBits: 8, ipv4: "10.0.0.0/16", ipv6: "fd00::/56" },
  ],
  [
    "both into /16 and /122",
    [
      ["fd00::/112", 122],
      ["10.0.0.0/8", 16],
    ],
    { perNodeHostBits: 6, ipv4: "10.0.0.0/8", ipv6: "fd00::/112" },
  ],
] as const)("the object of flags for %s", (_, ranges, spec) => {
  expect(defaultClusterCidr(clusterRanges(...ranges)).spec).toEqual(spec);
});
