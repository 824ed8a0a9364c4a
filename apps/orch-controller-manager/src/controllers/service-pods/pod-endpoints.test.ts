import type { core } from "@orchernetes/api";
import { expect, test } from "vitest";
import { meta, type PodSketch, pod as podOf } from "../../testing/builders.ts";
import {
  addressesOf,
  addressesOfFamily,
  hostnameFor,
  ipFamiliesOf,
  mayBeEndpoint,
  resolvePorts,
} from "./pod-endpoints.ts";
import type { Pod, Service } from "./service-selector.ts";

const service = (spec: Partial<core.ServiceSpec>): Service => ({ metadata: meta("svc"), spec, status: {} }) as Service;

function pod(sketch: PodSketch = {}, spec: Partial<core.PodSpec> = {}, ips?: readonly string[]): Pod {
  const made = podOf("p", sketch);
  const status =
    ips === undefined ? made.status : { ...made.status, podIP: ips[0] ?? "", podIPs: ips.map((ip) => ({ ip })) };
  return { ...made, spec: { ...made.spec, ...spec }, status };
}

test.each<[string, PodSketch, boolean, boolean]>([
  ["a running pod", { ip: "10.0.0.1" }, false, true],
  ["a pending pod with an address", { ip: "10.0.0.1", phase: "Pending" }, false, true],
  ["a pod without an address", {}, true, false],
  ["a pod that succeeded", { ip: "10.0.0.1", phase: "Succeeded" }, true, false],
  ["a pod that failed", { ip: "10.0.0.1", phase: "Failed" }, true, false],
  ["a terminating pod where those do not count", { ip: "10.0.0.1", deleting: true }, false, false],
  ["a terminating pod where those count", { ip: "10.0.0.1", deleting: true }, true, true],
])("%s (%j, terminating ones count: %s) may be an endpoint: %s", (_, sketch, includeTerminating, want) => {
  expect(mayBeEndpoint(pod(sketch), includeTerminating)).toBe(want);
});

test("a pod's addresses are those of its list, or the single one of older agents", () => {
  expect(addressesOf(pod({}, {}, ["10.0.0.1", "fd00::1"]))).toEqual(["10.0.0.1", "fd00::1"]);
  const old = pod({ ip: "10.0.0.1" });
  expect(addressesOf({ ...old, status: { ...old.status, podIPs: [] } })).toEqual(["10.0.0.1"]);
  expect(addressesOf(pod())).toEqual([]);
  expect(addressesOfFamily(pod({}, {}, ["10.0.0.1", "fd00::1"]), "IPv6")).toEqual(["fd00::1"]);
  expect(addressesOfFamily(pod({}, {}, ["10.0.0.1"]), "IPv6")).toEqual([]);
});

const containers = [
  { name: "a", ports: [{ name: "web", containerPort: 8080 }] },
  {
    name: "b",
    ports: [
      { name: "dns", containerPort: 53, protocol: "TCP" as const },
      { name: "dns", containerPort: 5353, protocol: "UDP" as const },
    ],
  },
] as unknown as core.PodSpec["containers"];

test.each<[string, core.ServicePort, object | undefined]>([
  ["the service's own port without a target", { port: 80 }, { name: "", port: 80, protocol: "TCP" }],
  [
    "a number, whether or not a container has it",
    { port: 80, targetPort: 9999 },
    { name: "", port: 9999, protocol: "TCP" },
  ],
  [
    "a name in the first container",
    { port: 80, targetPort: "web", name: "h" },
    { name: "h", port: 8080, protocol: "TCP" },
  ],
  [
    "a name by its protocol",
    { port: 53, targetPort: "dns", protocol: "UDP" },
    { name: "", port: 5353, protocol: "UDP" },
  ],
  ["a name with another protocol", { port: 80, targetPort: "web", protocol: "UDP" }, undefined],
  ["a name that the pod does not have", { port: 80, targetPort: "gone" }, undefined],
  [
    "the protocol of the application",
    { port: 80, appProtocol: "example.com/x" },
    { name: "", port: 80, protocol: "TCP", appProtocol: "example.com/x" },
  ],
])("ports: %s", (_, port, want) => {
  expect(resolvePorts(service({ ports: [port] }), pod({}, { containers }))).toEqual(want === undefined ? [] : [want]);
});

test("a port that cannot be resolved does not take the others with it", () => {
  const ports = [
    { name: "a", port: 1, targetPort: "gone" },
    { name: "b", port: 2 },
  ];
  expect(resolvePorts(service({ ports }), pod()).map(({ name }) => name)).toEqual(["b"]);
  expect(resolvePorts(service({}), pod())).toEqual([]);
});

test.each([
  [{ hostname: "h", subdomain: "svc" }, "h"],
  [{ hostname: "h", subdomain: "else" }, undefined],
  [{ hostname: "h" }, undefined],
  [{ subdomain: "svc" }, undefined],
  [{ hostname: "", subdomain: "svc" }, undefined],
])("a pod with %j has the host name %s in the service", (spec, want) => {
  expect(hostnameFor(pod({}, spec), service({}))).toBe(want);
});

test.each<[string, Partial<core.ServiceSpec>, readonly string[], readonly string[]]>([
  ["those of the service, in its order", { ipFamilies: ["IPv6", "IPv4"], clusterIP: "10.0.0.1" }, [], ["IPv6", "IPv4"]],
  ["that of its address", { clusterIP: "fd00::1" }, ["10.0.0.1"], ["IPv6"]],
  ["of a headless service, that of its pods", { clusterIP: "None" }, ["fd00::1"], ["IPv6"]],
  ["without pods IPv4", { clusterIP: "None" }, [], ["IPv4"]],
])("address families: %s", (_, spec, ips, want) => {
  expect(ipFamiliesOf(service(spec), [pod({}, {}, ips)])).toEqual(want);
});
