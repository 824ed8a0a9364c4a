import { expect, test } from "vitest";
import { agentDns, planDns, proxyDns } from "./cluster-dns.ts";
import type { ClusterState } from "./state.ts";

test("a cluster has the first address that no other one of the host has, and none without rights", () => {
  expect(planDns(true, new Set())).toEqual({ dns: { address: "10.96.0.10" } });
  expect(planDns(true, new Set(["10.96.0.10", "10.96.0.11"]))).toEqual({ dns: { address: "10.96.0.12" } });
  expect(planDns(false, new Set())).toEqual({});
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
    },
  });
  const { dns: _, ...rest } = state;
  expect([agentDns(rest), proxyDns(rest)]).toEqual([{}, {}]);
});
