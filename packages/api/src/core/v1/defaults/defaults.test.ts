import { describe, expect, test } from "vitest";
import { defaulted } from "../../../../test/support.ts";
import { pods } from "../pod.ts";
import { podTemplates } from "../pod-template.ts";
import { services } from "../service.ts";

type Json = Record<string, unknown>;

const podOf = (spec: Json, rest: Json = {}) => defaulted(pods, { metadata: { name: "p" }, spec, ...rest });
const containerOf = (container: Json, spec: Json = {}) =>
  podOf({ containers: [{ name: "c", ...container }], ...spec }).spec.containers[0];
const volumeOf = (volume: Json) => podOf({ containers: [], volumes: [{ name: "v", ...volume }] }).spec.volumes?.[0];
const serviceOf = (spec: Json) => defaulted(services, { metadata: { name: "s" }, spec }).spec;

describe("containers", () => {
  test.each([
    ["web", "Always"],
    ["web:latest", "Always"],
    ["web:1", "IfNotPresent"],
    ["registry:5000/web", "Always"],
    ["registry:5000/web:1", "IfNotPresent"],
    ["web@sha256:0", "IfNotPresent"],
    ["web:latest@sha256:0", "Always"],
    ["", "IfNotPresent"],
  ])("image %j is pulled %s", (image, policy) => {
    expect(containerOf({ image })?.imagePullPolicy).toBe(policy);
  });

  test.each<[title: string, resources: Json, requests: Json | undefined]>([
    ["no limits, no requests", {}, undefined],
    ["a limit is requested", { limits: { cpu: "2" } }, { cpu: "2" }],
    ["a request stays", { limits: { cpu: "2" }, requests: { cpu: "1" } }, { cpu: "1" }],
    ["a request of 0 stays", { limits: { cpu: "2" }, requests: { cpu: "0" } }, { cpu: "0" }],
    ["an inherited name", { limits: { constructor: "1" } }, { constructor: "1" }],
  ])("requests of a pod: %s", (_title, resources, requests) => {
    expect(containerOf({ resources })?.resources?.requests).toEqual(requests);
  });

  test("limits in a template do not become requests", () => {
    const template = { spec: { containers: [{ name: "c", resources: { limits: { cpu: "2" } } }] } };
    const { containers } = defaulted(podTemplates, { metadata: { name: "t" }, template }).template?.spec ?? {};
    expect(containers?.[0]?.resources).toEqual({ limits: { cpu: "2" } });
  });

  test.each([
    [true, undefined, 80],
    [true, 81, 81],
    [false, undefined, undefined],
  ])("host network %s, host port %s", (hostNetwork, hostPort, want) => {
    const ports = [{ containerPort: 80, ...(hostPort === undefined ? {} : { hostPort }) }];
    expect(containerOf({ ports }, { hostNetwork })?.ports?.[0]).toMatchObject({ protocol: "TCP" });
    expect(containerOf({ ports }, { hostNetwork })?.ports?.[0]?.hostPort).toBe(want);
  });

  test("probes", () => {
    const defaults = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
    const { livenessProbe, readinessProbe } =
      containerOf({
        livenessProbe: { httpGet: { port: 80 } },
        readinessProbe: { grpc: { port: 1 }, timeoutSeconds: 9 },
      }) ?? {};
    expect(livenessProbe).toEqual({ ...defaults, httpGet: { port: 80, path: "/", scheme: "HTTP" } });
    expect(readinessProbe).toEqual({ ...defaults, timeoutSeconds: 9, grpc: { port: 1, service: "" } });
  });
});

describe("pods", () => {
  test.each([
    [{}, undefined],
    [{ serviceAccountName: "a" }, "a"],
    [{ serviceAccount: "b" }, "b"],
    [{ serviceAccountName: "a", serviceAccount: "b" }, "a"],
  ])("service account of %j", (spec, name) => {
    const { serviceAccountName, serviceAccount } = podOf({ containers: [], ...spec }).spec;
    expect([serviceAccountName, serviceAccount].map((text) => text || undefined)).toEqual([name, name]);
  });

  test.each([
    [{ podIP: "10.0.0.1" }, "10.0.0.1", ["10.0.0.1"]],
    [{ podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] }, "10.0.0.1", ["10.0.0.1", "fd00::1"]],
    [{ podIP: "10.0.0.2", podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] }, "10.0.0.2", ["10.0.0.2"]],
    [{ podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] }, "10.0.0.1", ["10.0.0.1", "fd00::1"]],
  ])("addresses of %j", (status, podIP, podIPs) => {
    const pod = podOf({ containers: [] }, { status });
    expect([pod.status?.podIP, pod.status?.podIPs?.map(({ ip }) => ip)]).toEqual([podIP, podIPs]);
  });

  test.each([
    [undefined, 30],
    [0, 0],
  ])("grace period %s", (terminationGracePeriodSeconds, want) => {
    expect(podOf({ containers: [], terminationGracePeriodSeconds }).spec.terminationGracePeriodSeconds).toBe(want);
  });
});

describe("volumes", () => {
  test.each<[volume: Json, want: Json]>([
    [{}, { emptyDir: {} }],
    [{ secret: { secretName: "s" } }, { secret: { secretName: "s", defaultMode: 0o644 } }],
    [{ secret: { secretName: "s", defaultMode: 0 } }, { secret: { secretName: "s", defaultMode: 0 } }],
    [{ hostPath: { path: "/" } }, { hostPath: { path: "/", type: "" } }],
    [
      { projected: { sources: [{ serviceAccountToken: { path: "t" } }] } },
      { projected: { defaultMode: 0o644, sources: [{ serviceAccountToken: { path: "t", expirationSeconds: 3600 } }] } },
    ],
    [
      { ephemeral: { volumeClaimTemplate: { spec: {} } } },
      { ephemeral: { volumeClaimTemplate: { spec: { volumeMode: "Filesystem" } } } },
    ],
  ])("%j", (volume, want) => {
    expect(volumeOf(volume)).toMatchObject(want);
  });
});

describe("services", () => {
  const ports = [{ port: 80 }];
  test.each<[spec: Json, want: Json, absent: readonly string[]]>([
    [
      { ports },
      { type: "ClusterIP", sessionAffinity: "None", internalTrafficPolicy: "Cluster" },
      ["externalTrafficPolicy", "allocateLoadBalancerNodePorts"],
    ],
    [{ ports }, { ports: [{ port: 80, protocol: "TCP", targetPort: 80 }] }, []],
    [{ ports, type: "NodePort" }, { externalTrafficPolicy: "Cluster" }, ["allocateLoadBalancerNodePorts"]],
    [
      { ports, type: "LoadBalancer" },
      { externalTrafficPolicy: "Cluster", internalTrafficPolicy: "Cluster", allocateLoadBalancerNodePorts: true },
      [],
    ],
    [
      { type: "ExternalName", externalName: "a.b" },
      { type: "ExternalName" },
      ["internalTrafficPolicy", "externalTrafficPolicy", "allocateLoadBalancerNodePorts"],
    ],
    [{ ports, sessionAffinity: "ClientIP" }, { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } } }, []],
    [
      { ports, sessionAffinityConfig: { clientIP: { timeoutSeconds: 1 } } },
      { sessionAffinity: "None" },
      ["sessionAffinityConfig"],
    ],
  ])("%j", (spec, want, absent) => {
    const result = serviceOf(spec);
    expect(result).toMatchObject(want);
    expect(absent.filter((name) => (result as unknown as Json)[name] !== undefined)).toEqual([]);
  });
});

test("defaulting twice changes nothing", () => {
  const once = podOf({ containers: [{ name: "c", image: "web" }], volumes: [{ name: "v" }], hostNetwork: true });
  expect(defaulted(pods, structuredClone(once))).toEqual(once);
});
