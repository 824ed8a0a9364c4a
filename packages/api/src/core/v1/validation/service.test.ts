import { expect, test } from "vitest";
import { create, merged, update } from "../../../../test/support.ts";
import { services } from "../service.ts";

type Row = readonly [name: string, input: object, want: readonly (string | RegExp)[]];
const matching = (want: Row[2]) => want.map((text) => (typeof text === "string" ? text : expect.stringMatching(text)));

const base = { metadata: { name: "s", namespace: "n" }, spec: { ports: [{ port: 80 }] } };
const errorsOf = (spec: object, annotations: object = {}): string[] =>
  create(services, merged(base, { metadata: { annotations }, spec })).errors;
const affinity = (timeoutSeconds: number) => ({
  sessionAffinity: "ClientIP",
  sessionAffinityConfig: { clientIP: { timeoutSeconds } },
});
const addresses = (...clusterIPs: readonly string[]) => ({ clusterIP: clusterIPs[0], clusterIPs });

test.each<Row>([
  ["the last port", { ports: [{ port: 65_535 }] }, []],
  [
    "a port too high",
    { ports: [{ port: 65_536, targetPort: 1 }] },
    ["spec.ports[0].port: Invalid value: 65536: must be between 1 and 65535, inclusive"],
  ],
  [
    "one number on two protocols",
    {
      ports: [
        { name: "a", port: 53, protocol: "TCP" },
        { name: "b", port: 53, protocol: "UDP" },
      ],
    },
    [],
  ],
  ["the port of node agents inside", { ports: [{ port: 10_250 }] }, []],
  [
    "the port of node agents outside",
    { type: "LoadBalancer", ports: [{ port: 10_250 }] },
    ["spec.ports[0]: Invalid value: 10250: may not expose port 10250 externally since it is used by orchlet"],
  ],
  ["affinity for a second", affinity(1), []],
  ["affinity for a day", affinity(86_400), []],
  [
    "affinity for no time",
    affinity(0),
    [
      "spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 0: must be greater than 0 and less than 86400",
    ],
  ],
  ["addresses of both families", addresses("10.0.0.1", "fd00::1"), []],
  [
    "two addresses of one family",
    addresses("10.0.0.1", "10.0.0.2"),
    [/^spec\.clusterIPs: Invalid value: .*: may specify no more than one IP for each IP family$/],
  ],
  [
    "three addresses",
    addresses("10.0.0.1", "fd00::1", "10.0.0.2"),
    [/^spec\.clusterIPs: Invalid value: .*: may only hold up to 2 values$/],
  ],
  [
    "an address and none",
    addresses("10.0.0.1", "None"),
    ["spec.clusterIPs[1]: Invalid value: \"None\": 'None' must be the first and only value"],
  ],
  [
    "an address of another family",
    { ...addresses("10.0.0.1"), ipFamilies: ["IPv6"] },
    ['spec.clusterIPs[0]: Invalid value: "10.0.0.1": expected an IPv6 value as indicated by `ipFamilies[0]`'],
  ],
  ["a name that ends in a dot", { type: "ExternalName", externalName: "a.example.com." }, []],
])("service with %s", (_, spec, want) => {
  expect(errorsOf(spec)).toEqual(matching(want));
});

const ranges = "service.beta.orchernetes.io/load-balancer-source-ranges";
test.each<readonly [type: string, text: string, want: Row[2]]>([
  ["LoadBalancer", " 10.0.0.0/8, fd00::/8 ", []],
  ["LoadBalancer", "", []],
  ["LoadBalancer", "10.0.0.0", [/: Invalid value: "10\.0\.0\.0": must be a list of IP ranges\. /]],
  ["ClusterIP", "10.0.0.0/8", [/\]: Forbidden: may only be used when `type` is 'LoadBalancer'$/]],
])("ranges in the annotation of a %s: %j", (type, text, want) => {
  const errors = errorsOf({ type }, { [ranges]: text });
  expect(errors).toEqual(matching(want));
  for (const error of errors) expect(error).toContain(`metadata.annotations[${ranges}]: `);
});

test.each([
  ["Auto", "Auto", []],
  [
    "Auto",
    "Disabled",
    [
      'metadata.annotations[service.orchernetes.io/topology-mode]: Invalid value: "Auto": must match annotations[service.orchernetes.io/topology-aware-hints] when both are specified',
    ],
  ],
])("topology mode %s, hints %s", (mode, hints, want) => {
  const annotations = {
    "service.orchernetes.io/topology-mode": mode,
    "service.orchernetes.io/topology-aware-hints": hints,
  };
  expect(errorsOf({}, annotations)).toEqual(want);
});

test.each<Row>([
  ["adding a second with a policy", { ...addresses("10.0.0.1", "fd00::1"), ipFamilyPolicy: "PreferDualStack" }, []],
  [
    "adding a second without one",
    addresses("10.0.0.1", "fd00::1"),
    [
      /^spec\.ipFamilyPolicy: Invalid value: .*: must be set to PreferDualStack or RequireDualStack when adding a secondary clusterIP$/,
    ],
  ],
  ["another first", addresses("10.0.0.2"), [/^spec\.clusterIPs\[0\]: Invalid value: .*: may not change once set$/]],
])("addresses: %s", (_, spec, want) => {
  const old = create(services, merged(base, { spec: addresses("10.0.0.1") })).object;
  expect(update(services, old, merged(old, { spec })).errors).toEqual(matching(want));
});
