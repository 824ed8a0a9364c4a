import type { core } from "@orchernetes/api";
import { ServiceRules } from "@orchernetes/proxy";
import { endpointSlice } from "@orchernetes/proxy/testing";
import { service } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { clusterClients } from "./cluster-clients.ts";
import { endpointsFor } from "./route.ts";
import { routesOf } from "./routes.ts";

const isInCluster = clusterClients(["10.244.0.0/16", "fd00:244::/48"], () => ({}));

/** The addresses that clients at 192.0.2.9, on the host, and in a pod get to, by port. */
function reached(spec: Partial<core.ServiceSpec>): Readonly<Record<string, readonly string[]>> {
  const built = service("web")
    .clusterIP("10.96.0.1")
    .spec({ type: "NodePort", ports: [{ port: 80, targetPort: 8080, nodePort: 30_001 }], ...spec })
    .build();
  const rules = new ServiceRules({ nodeName: "n1" });
  rules.setService(built);
  rules.setEndpointSlice(
    endpointSlice(built, [
      { address: "10.244.1.1", node: "n1" },
      { address: "10.244.2.1", node: "n2" },
    ]),
  );
  rules.takeChange();
  const found: Record<string, readonly string[]> = {};
  for (const route of routesOf(rules.frontends(), ["192.0.2.1"], isInCluster))
    for (const client of ["192.0.2.9", "127.0.0.1", "10.244.1.7"])
      found[`${client} to ${route.port}`] = endpointsFor(route, client).map(({ address }) => address);
  return found;
}

const both = ["10.244.1.1", "10.244.2.1"];

test("without policies every client reaches all endpoints", () => {
  expect(new Set(Object.values(reached({})).map(String))).toEqual(new Set([String(both)]));
});

test("externalTrafficPolicy Local holds for clients outside of the cluster", () => {
  expect(reached({ externalTrafficPolicy: "Local" })).toMatchObject({
    "192.0.2.9 to 30001": ["10.244.1.1"],
    "127.0.0.1 to 30001": both,
    "10.244.1.7 to 30001": both,
    "127.0.0.1 to 80": both,
  });
});

test("internalTrafficPolicy Local holds for the cluster address", () => {
  expect(reached({ internalTrafficPolicy: "Local" })).toMatchObject({
    "127.0.0.1 to 80": ["10.244.1.1"],
    "192.0.2.9 to 30001": both,
  });
});

test("clients in the cluster are those on the host and in the ranges of pods", () => {
  const own = { address: "192.0.2.1", netmask: "", mac: "", internal: false, cidr: null, family: "IPv4" } as const;
  const isIn = clusterClients(["10.244.0.0/16", "fd00:244::/48"], () => ({ eth0: [own] }));
  for (const address of ["127.0.0.5", "192.0.2.1", "10.244.255.1", "fd00:244:0:1::1"]) expect(isIn(address)).toBe(true);
  for (const address of ["192.0.2.9", "10.245.0.1", "fd00:245::1", "", "no"]) expect(isIn(address)).toBe(false);
  expect(clusterClients([], () => ({}))("10.244.0.1")).toBe(false);
});
