import { expect, test } from "vitest";
import { agentDns, deleteMovedService, dnsSummary, planDns, proxyDns } from "./cluster-dns.ts";
import type { ClusterState } from "./state.ts";

test("a cluster has the first address that no other one of the host has or will have, and none without rights", async () => {
  const free = async () => true;
  expect(await planDns(true, new Set(), free)).toEqual({ dns: { address: "10.96.0.10" } });
  const present = new Set(["10.96.0.10", "10.96.0.11"]);
  expect(await planDns(true, present, free)).toEqual({ dns: { address: "10.96.0.12" } });
  const claimed = async (name: string) => name !== "address/10.96.0.12";
  expect(await planDns(true, present, claimed)).toEqual({ dns: { address: "10.96.0.13" } });
  expect(await planDns(true, present, async () => false)).toEqual({});
  expect(await planDns(false, new Set(), free)).toEqual({});
});

test.each([
  ["no service", 404, {}, ["GET"]],
  ["a service of this address", 200, { spec: { clusterIP: "10.96.0.10" } }, ["GET"]],
  ["a service of another address", 200, { spec: { clusterIP: "10.96.0.15" } }, ["GET", "DELETE"]],
])("a cluster that is started again with %s", async (_, status, service, want) => {
  const asked: string[] = [];
  await deleteMovedService("10.96.0.10", async (method) => {
    asked.push(method);
    return { status, body: JSON.stringify(service) };
  });
  expect(asked).toEqual(want);
});

test("agents give the address to pods, and proxies serve it on the cluster's interface", () => {
  const nodes = [{ bridge: "o8s-abcdef-1", podCidr: "10.64.1.0/24" }] as unknown as ClusterState["nodes"];
  const state = { nodes, dns: { address: "10.96.0.11" } } as unknown as ClusterState;
  expect(agentDns(state)).toEqual({ clusterDNS: ["10.96.0.11"], clusterDomain: "cluster.local" });
  expect(proxyDns(state)).toEqual({
    clusterDNS: {
      addresses: ["10.96.0.11"],
      domain: "cluster.local",
      interface: "o8s-abcdef-dns",
      reverseRanges: ["10.96.0.0/16", "10.64.1.0/24"],
      clients: ["10.64.1.0/24"],
    },
  });
  const { dns: _, ...rest } = state;
  expect([agentDns(rest), proxyDns(rest)]).toEqual([{}, {}]);
});

test.each([
  ["containerd", "10.96.0.10"],
  ["process", "10.96.0.10 (pods of the process runtime use the resolver of the host instead)"],
] as const)("with runtime %s, the summary of the DNS says who uses it", (runtime, summary) => {
  expect(dnsSummary("10.96.0.10", [{ runtime }])).toBe(summary);
});
