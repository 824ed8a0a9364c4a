import type { core, discovery } from "@orchernetes/api";
import { service } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { endpointSlice } from "../testing/endpoint-slice.ts";
import { ServiceRules } from "./service-rules.ts";

/** Services that ask for more than a node should give to one of them. */

const address = (i: number): string => `10.${100 + (i >> 16)}.${(i >> 8) & 0xff}.${i & 0xff}`;
const addresses = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => address(i));
const ports = (count: number): core.ServicePort[] =>
  Array.from({ length: count }, (_, i) => ({ name: `p${i}`, port: i + 1, protocol: "TCP" }));
const web = (spec: Partial<core.ServiceSpec>): core.Service =>
  service("web").clusterIP("10.96.0.1").port(80).spec(spec).build();

function synced(built: core.Service, ...slices: readonly discovery.EndpointSlice[]) {
  const rules = new ServiceRules({ nodeName: "node-1", families: ["IPv4"] });
  rules.setService(built);
  for (const slice of slices) rules.setEndpointSlice(slice);
  const problems = rules.takeChange().problems.get("default/web") ?? [];
  const sizes = Object.fromEntries(rules.table().sets.map(({ name, elements }) => [name, elements.size]));
  return { problems, sizes };
}

test("ports and external addresses are limited together", () => {
  const built = web({ ports: ports(500), externalIPs: addresses(800) });
  const { problems, sizes } = synced(built, endpointSlice(built, ["10.244.0.1"]));
  expect(sizes["v4-services"]).toBe(10_000);
  expect(problems).toEqual([
    "its addresses, ports and endpoints exceed 10000 frontends or 100000 elements; the rest is not served",
  ]);
});

test("addresses, and the source ranges of each, are limited", () => {
  const built: core.Service = {
    ...web({ type: "LoadBalancer", loadBalancerSourceRanges: addresses(1500).map((ip) => `${ip}/32`) }),
    status: { loadBalancer: { ingress: addresses(1200).map((ip) => ({ ip })) } },
  };
  const { problems, sizes } = synced(built, endpointSlice(built, ["10.244.0.1"]));
  expect(sizes["v4-source-ranges"]).toBeLessThanOrEqual(100_000);
  expect(problems.slice(0, 2)).toEqual([
    "1200 IPv4 load balancer addresses; only the first 1000 are used",
    "1500 IPv4 source ranges; only the first 1000 are used",
  ]);
});

test("endpoints of a service's ports are limited", () => {
  const built = web({ ports: ports(100) });
  const { problems, sizes } = synced(built, endpointSlice(built, addresses(400)));
  expect(sizes["v4-tcp-endpoints"]).toBe(30_000);
  expect(problems).toEqual(["more than 30000 IPv4 endpoints; the rest is not used"]);
});

test("a slice's ports that the service lacks cost nothing", () => {
  const built = web({ ports: ports(1) });
  const wide = endpointSlice(web({ ports: ports(2000) }), addresses(1000));
  const start = performance.now();
  const { problems, sizes } = synced(built, wide);
  expect(performance.now() - start).toBeLessThan(1000);
  expect(problems).toEqual([]);
  expect(sizes["v4-tcp-endpoints"]).toBe(1000);
});
