import { describe, expect, test } from "vitest";
import { create, merged, row, update } from "../../../test/support.ts";
import { services } from "./service.ts";
import type { Service } from "./types/service.ts";

const service = (spec: object) => ({
  metadata: { name: "s", namespace: "ns" },
  spec: { ports: [{ port: 80 }], ...spec },
});
const stored = (spec: object): Service => create(services, service(spec)).object;

test.each([
  [
    {},
    {
      type: "ClusterIP",
      sessionAffinity: "None",
      internalTrafficPolicy: "Cluster",
      ports: [{ protocol: "TCP", targetPort: 80 }],
    },
  ],
  [{ type: "NodePort" }, { externalTrafficPolicy: "Cluster" }],
  [{ type: "LoadBalancer" }, { externalTrafficPolicy: "Cluster", allocateLoadBalancerNodePorts: true }],
  [{ sessionAffinity: "ClientIP" }, { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } } }],
  [{ clusterIP: "10.0.0.1" }, { clusterIPs: ["10.0.0.1"] }],
])("defaults of %j", (spec, want) => {
  const { object, errors } = create(services, service(spec));
  expect(errors).toEqual([]);
  expect(object.spec).toMatchObject(want);
});

test.each([
  [{ clusterIP: "None", ports: [] }, []],
  [
    { clusterIPs: ["10.0.0.1"] },
    ['spec.clusterIPs: Invalid value: []string{"10.0.0.1"}: must be empty when `clusterIP` is not specified'],
  ],
  [
    { clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.1", "10.0.0.2"], ipFamilyPolicy: "PreferDualStack" },
    [
      'spec.clusterIPs: Invalid value: []string{"10.0.0.1", "10.0.0.2"}: may specify no more than one IP for each IP family',
    ],
  ],
  [{ ipFamilies: ["IPv5"] }, ['spec.ipFamilies[0]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6"']],
  [
    { ipFamilyPolicy: "Odd" },
    [
      'spec.ipFamilyPolicy: Unsupported value: "Odd": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
    ],
  ],
  [{ type: "ExternalName", externalName: "a.b.", ports: [] }, []],
  [
    { type: "ExternalName", externalName: "a.b", ipFamilies: ["IPv4"], ports: [] },
    ["spec.ipFamilies: Forbidden: may not be set for ExternalName services"],
  ],
  [
    { type: "LoadBalancer", ports: [{ port: 10250 }] },
    ["spec.ports[0]: Invalid value: 10250: may not expose port 10250 externally since it is used by orchlet"],
  ],
  [
    { loadBalancerClass: "a.b/c" },
    ["spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'"],
  ],
  [
    { internalTrafficPolicy: "Odd" },
    ['spec.internalTrafficPolicy: Unsupported value: "Odd": supported values: "Cluster", "Local"'],
  ],
  [
    { externalTrafficPolicy: "Local" },
    ['spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services'],
  ],
  [
    { externalIPs: ["169.254.1.1"] },
    [
      'spec.externalIPs[0]: Invalid value: "169.254.1.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
    ],
  ],
])("errors of %j", (spec, want) => {
  expect(create(services, service(spec)).errors).toEqual(want);
});

const ranges = "service.beta.orchernetes.io/load-balancer-source-ranges";
const mode = "service.orchernetes.io/topology-mode";
const hints = "service.orchernetes.io/topology-aware-hints";

test.each([
  [{ [ranges]: "10.0.0.0/8, 192.168.0.0/16" }, "LoadBalancer", []],
  [{ [ranges]: " " }, "LoadBalancer", []],
  [{ [ranges]: "" }, "ClusterIP", [`[${ranges}]: Forbidden: may only be used when \`type\` is 'LoadBalancer'`]],
  [
    { [ranges]: "10.0.0.0" },
    "LoadBalancer",
    [`[${ranges}]: Invalid value: "10.0.0.0": must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 `],
  ],
  [{ [mode]: "auto", [hints]: "auto" }, "ClusterIP", []],
  [
    { [mode]: "auto", [hints]: "disabled" },
    "ClusterIP",
    [`[${mode}]: Invalid value: "auto": must match annotations[${hints}] when both are specified`],
  ],
])("annotations %j of a %s", (annotations, type, want) => {
  const { errors } = create(services, merged(service({ type }), { metadata: { annotations } }));
  expect(errors).toEqual(want.map((text) => `metadata.annotations${text}`));
});

describe("updates", () => {
  const address = { clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.1"] };

  test("addresses and node ports are kept when an update omits them", () => {
    const old = stored({ ...address, type: "NodePort", ports: [{ port: 80, nodePort: 30001 }] });
    const { object, errors } = update(services, old, service({ type: "NodePort" }));
    expect(errors).toEqual([]);
    expect(object.spec).toMatchObject({ ...address, ports: [{ nodePort: 30001 }] });
  });

  const tcp = (name: string, nodePort?: number, port = 53) => ({ name, port, ...(nodePort && { nodePort }) });
  const udp = (name: string, nodePort?: number) => ({ ...tcp(name, nodePort), protocol: "UDP" });
  test.each([
    ["of the same names", [tcp("a", 30001), tcp("b", 30002, 54)], [tcp("b", 0, 54), tcp("a")], [30002, 30001]],
    ["whose numbers change", [tcp("a", 30001)], [tcp("a", 0, 80)], [30001]],
    ["whose protocols change", [tcp("a", 30001)], [udp("a")], [30001]],
    ["with other names", [tcp("a", 30001)], [tcp("b")], [0]],
    ["that share a node port", [tcp("a", 30001), udp("b", 30001)], [tcp("a"), udp("b")], [30001, 30001]],
    [
      "that share one, of which the client sets one",
      [tcp("a", 30001), udp("b", 30001)],
      [tcp("a", 30001), udp("b")],
      [30001, 0],
    ],
    [
      "of which one gets the other's node port",
      [tcp("a", 30001), udp("b", 30002)],
      [tcp("a", 30002), udp("b")],
      [30002, 0],
    ],
  ])("node ports of an update that omits them: ports %s", (_, before, after, want) => {
    const old = stored({ ...address, type: "NodePort", ports: before });
    const { object } = update(services, old, service({ type: "NodePort", ports: after }));
    expect(object.spec.ports?.map(({ nodePort = 0 }) => nodePort)).toEqual(want);
  });

  test.each([
    ["are kept when allocation is disabled later", 30001, 30001],
    ["are released when the client removes them, too", 0, undefined],
  ])("node ports of a load balancer %s", (_, nodePort, want) => {
    const old = stored({ ...address, type: "LoadBalancer", ports: [tcp("a", 30001)] });
    const patch = { spec: { allocateLoadBalancerNodePorts: false, ports: [tcp("a", nodePort)] } };
    const { object, errors } = update(services, old, merged(old, patch));
    expect(errors).toEqual([]);
    expect(object.spec.ports?.map((port) => port.nodePort)).toEqual([want]);
  });

  test("the address does not change", () => {
    const next = merged(service({}), { spec: { clusterIP: "10.0.0.2" } });
    expect(update(services, stored(address), next).errors).toEqual([
      'spec.clusterIPs[0]: Invalid value: []string{"10.0.0.2"}: may not change once set',
    ]);
  });

  const both = {
    clusterIP: "10.0.0.1",
    clusterIPs: ["10.0.0.1", "fd00::1"],
    ipFamilies: ["IPv4", "IPv6"],
    ipFamilyPolicy: "PreferDualStack",
  };
  const one = {
    clusterIP: "10.0.0.1",
    clusterIPs: ["10.0.0.1"],
    ipFamilies: ["IPv4"],
    ipFamilyPolicy: "SingleStack",
  };
  test.each([
    ["a second address", one, both, []],
    [
      "a second address without the policy",
      one,
      { ...both, ipFamilyPolicy: undefined },
      [
        'spec.ipFamilyPolicy: Invalid value: "null": must be set to PreferDualStack or RequireDualStack when adding a secondary clusterIP',
        'spec.ipFamilyPolicy: Invalid value: "null": must be set to PreferDualStack or RequireDualStack when adding a secondary ipFamily',
      ],
    ],
    ["one address less", both, one, []],
    [
      "one address less without the policy",
      both,
      { ...one, ipFamilyPolicy: "PreferDualStack" },
      [
        "spec.ipFamilyPolicy: Invalid value: \"PreferDualStack\": must be set to 'SingleStack' when releasing the secondary clusterIP",
        "spec.ipFamilyPolicy: Invalid value: \"PreferDualStack\": must be set to 'SingleStack' when releasing the secondary ipFamily",
      ],
    ],
    [
      "another second address",
      both,
      { ...both, clusterIPs: ["10.0.0.1", "fd00::2"] },
      ['spec.clusterIPs[1]: Invalid value: []string{"10.0.0.1", "fd00::2"}: may not change once set'],
    ],
  ])("%s", (_, before, after, want) => {
    const old = stored(before);
    expect(update(services, old, { ...old, spec: { ...old.spec, ...after } }).errors).toEqual(want);
  });

  test.each([
    ["NodePort", { type: "ClusterIP" }, ["nodePort", "externalTrafficPolicy"]],
    ["LoadBalancer", { type: "ClusterIP" }, ["nodePort", "externalTrafficPolicy", "allocateLoadBalancerNodePorts"]],
    ["ClusterIP", { type: "ExternalName", externalName: "a.b" }, ["clusterIP", "clusterIPs", "internalTrafficPolicy"]],
  ])("a change from %s to %j drops the fields that the new type does not use", (type, patch, gone) => {
    const ports = type === "ClusterIP" ? [{ port: 80 }] : [{ port: 80, nodePort: 30001 }];
    const old = stored({ ...address, type, ports });
    const { object, errors } = update(services, old, merged(old, { spec: patch }));
    expect(errors).toEqual([]);
    const members = { ...object.spec.ports?.[0], ...object.spec };
    expect(gone.filter((name) => members[name as keyof typeof members] !== undefined)).toEqual([]);
  });
});

test.each([
  [
    { ...{ clusterIP: "10.0.0.1" }, selector: { b: "2", a: "1" } },
    ["ClusterIP", "10.0.0.1", "<none>", "80/TCP", "a=1,b=2"],
  ],
  [
    { type: "NodePort", ports: [{ port: 80, nodePort: 30001 }] },
    ["NodePort", "<none>", "<none>", "80:30001/TCP", "<none>"],
  ],
  [{ type: "LoadBalancer" }, ["LoadBalancer", "<none>", "<pending>", "80/TCP", "<none>"]],
  [{ type: "ExternalName", externalName: "a.b", ports: [] }, ["ExternalName", "<none>", "a.b", "<none>", "<none>"]],
])("table row of %j", (spec, want) => {
  const [, type, ip, external, ports, , selector] = row(services, stored(spec));
  expect([type, ip, external, ports, selector]).toEqual(want);
});
