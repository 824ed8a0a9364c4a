import type { core } from "@orchernetes/api";
import { service } from "@orchernetes/testkit";
import { describe, expect, test } from "vitest";
import { endpointSlice } from "../testing/endpoint-slice.ts";
import type { NodeFacts, ServiceSettings } from "./objects/settings.ts";
import { ServiceRules } from "./service-rules.ts";

/** Services that name addresses which belong to the cluster or to the node. */

const ignored = { "service.orchernetes.io/service-proxy-name": "orch-dns" };
const dns = service("dns").clusterIP("10.96.0.10").port(53).labels(ignored).build();
const thief = (spec: Partial<core.ServiceSpec>, ...ingress: readonly string[]): core.Service => ({
  ...service("thief").clusterIP("10.96.0.66").port(53, 5353).spec(spec).build(),
  status: { loadBalancer: { ingress: ingress.map((ip) => ({ ip })) } },
});

function rulesOf(
  objects: readonly core.Service[],
  settings: Partial<ServiceSettings> = {},
  node: NodeFacts = {},
): ServiceRules {
  const rules = new ServiceRules({ nodeName: "node-1", families: ["IPv4"], ...settings }, node);
  for (const built of objects) {
    rules.setService(built);
    rules.setEndpointSlice(endpointSlice(built, ["10.244.0.66"]));
  }
  return rules;
}

/** The addresses that lead somewhere. */
function served(rules: ServiceRules): readonly string[] {
  rules.takeChange();
  const found = rules.table().sets.find(({ name }) => name === "v4-services");
  return [...(found?.elements.keys() ?? [])].map((key) => key.split(" ")[0] ?? "").sort();
}

test.each([
  ["an external address", thief({ externalIPs: ["10.96.0.10", "203.0.113.1"] })],
  ["an external address in another notation", thief({ externalIPs: ["::ffff:10.96.0.10", "203.0.113.1"] })],
  ["a load balancer's address", thief({ type: "LoadBalancer" }, "10.96.0.10", "203.0.113.1")],
])("a cluster address of a service that another proxy serves is not %s", (_title, built) => {
  for (const objects of [
    [dns, built],
    [built, dns],
  ])
    expect(served(rulesOf(objects))).toEqual(["10.96.0.66", "203.0.113.1"]);
});

test("ports of a cluster address that its service does not have are no other service's", () => {
  const web = service("web").clusterIP("10.96.0.1").port(80).build();
  expect(served(rulesOf([web, thief({ externalIPs: ["10.96.0.1"] })]))).toEqual(["10.96.0.1", "10.96.0.66"]);
});

test("an address is reserved while a service has it", () => {
  const rules = rulesOf([thief({ externalIPs: ["10.96.0.10"] })]);
  expect(served(rules)).toEqual(["10.96.0.10", "10.96.0.66"]);
  rules.setService(dns);
  expect(served(rules)).toEqual(["10.96.0.66"]);
  rules.setService({ ...dns, metadata: { ...dns.metadata, name: "dns-2" } });
  rules.deleteService(dns);
  expect(served(rules)).toEqual(["10.96.0.66"]);
  rules.deleteService({ ...dns, metadata: { ...dns.metadata, name: "dns-2" } });
  expect(served(rules)).toEqual(["10.96.0.10", "10.96.0.66"]);
});

test("addresses in the settings are reserved, with or without a service", () => {
  const rules = rulesOf([thief({ externalIPs: ["10.96.0.10"] })], { reservedAddresses: ["10.96.0.10"] });
  expect(served(rules)).toEqual(["10.96.0.66"]);
});

test("the node's own addresses are no external addresses, and may be a load balancer's", () => {
  const built = thief({ type: "LoadBalancer", externalIPs: ["192.0.2.10", "192.0.2.12"] }, "192.0.2.11");
  const rules = rulesOf([built], {}, { addresses: ["192.0.2.10", "192.0.2.11"] });
  expect(served(rules)).toEqual(["10.96.0.66", "192.0.2.11", "192.0.2.12"]);
  rules.setNode({ addresses: ["192.0.2.12"] });
  expect(served(rules)).toEqual(["10.96.0.66", "192.0.2.10", "192.0.2.11"]);
  const onlyNode = { podInterfaces: [], addresses: ["192.0.2.12"], hostTraffic: true };
  expect(served(rulesOf([built], { onlyNode }))).toEqual(["10.96.0.66", "192.0.2.10", "192.0.2.11"]);
});

describe("a load balancer at the node's own address", () => {
  const nodeAddress = "192.0.2.10";
  const node: NodeFacts = { addresses: [nodeAddress], agentPort: 10_450 };
  const balanced = (...ports: readonly number[]): core.Service => ({
    ...service("thief")
      .clusterIP("10.96.0.66")
      .port(80)
      .spec({
        type: "LoadBalancer",
        ports: ports.map((port) => ({ name: `p${port}`, port, protocol: "TCP" as const })),
      })
      .build(),
    status: { loadBalancer: { ingress: [{ ip: nodeAddress }, { ip: "203.0.113.1" }] } },
  });
  const ofNode = (rules: ServiceRules): readonly number[] =>
    [...rules.frontends()].filter(({ address }) => address === nodeAddress).map(({ port }) => port);

  test("has no port of a daemon, of the node's agent or of the range of node ports", () => {
    const rules = rulesOf([balanced(80, 22, 6443, 10_250, 10_450, 30_080)], {}, node);
    const { problems } = rules.takeChange();
    expect(ofNode(rules)).toEqual([80]);
    expect([...rules.frontends()].filter(({ address }) => address === "203.0.113.1")).toHaveLength(6);
    expect([...problems.values()].flat()).toEqual([
      "5 of its ports are reserved on nodes and are not served at the node's addresses, such as 22/TCP",
    ]);
  });

  test("has no node port of another service while that has it, whichever is older", () => {
    const rules = rulesOf([balanced(80, 8080)], {}, node);
    rules.takeChange();
    expect(ofNode(rules)).toEqual([80, 8080]);
    const ports = [{ port: 80, nodePort: 8080, protocol: "TCP" as const }];
    const other = service("other").clusterIP("10.96.0.7").port(80).spec({ type: "NodePort", ports }).build();
    rules.setService(other);
    rules.takeChange();
    expect(ofNode(rules)).toEqual([80]);
    rules.deleteService(other);
    rules.takeChange();
    expect(ofNode(rules)).toEqual([80, 8080]);
  });

  test("has a port that is its own node port", () => {
    const built = balanced(8080);
    const ports = [{ port: 8080, nodePort: 8080, protocol: "TCP" as const }];
    const rules = rulesOf([{ ...built, spec: { ...built.spec, ports } }], {}, node);
    rules.takeChange();
    expect(ofNode(rules)).toEqual([8080]);
  });

  test("loses the port of the node's agent when that becomes known", () => {
    const rules = rulesOf([balanced(80, 10_450)], {}, { addresses: [nodeAddress] });
    rules.takeChange();
    expect(ofNode(rules)).toEqual([80, 10_450]);
    rules.setNode(node);
    rules.takeChange();
    expect(ofNode(rules)).toEqual([80]);
  });
});

test("what is refused is reported once, until it is over", () => {
  const rules = rulesOf([dns, thief({ externalIPs: ["10.96.0.10"] })]);
  const problem =
    "1 of its IPv4 external addresses belong to the cluster or to the node and are ignored, such as 10.96.0.10";
  expect([...rules.takeChange().problems]).toEqual([["default/thief", [problem]]]);
  rules.setService(thief({ externalIPs: ["10.96.0.10"] }));
  expect(rules.takeChange().problems.size).toBe(0);
  expect([...rules.problems().keys()]).toEqual(["default/thief"]);
  rules.setService(thief({}));
  expect(rules.takeChange().problems.size).toBe(0);
  expect(rules.problems().size).toBe(0);
});
