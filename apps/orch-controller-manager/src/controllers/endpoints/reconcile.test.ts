import type { core } from "@orchernetes/api";
import { describe, expect, test } from "vitest";
import { meta, pod, service } from "../../testing/builders.ts";
import type { Pod, Service } from "../service-pods/service-selector.ts";
import { type EndpointsState, reconcile } from "./reconcile.ts";

const withPort = (given: Pod, name: string, containerPort: number): Pod => ({
  ...given,
  spec: {
    ...given.spec,
    containers: [{ name: "c", resources: {}, ports: [{ name, containerPort, protocol: "TCP" }] }],
  },
});
const decide = (state: Partial<EndpointsState>) =>
  reconcile({ service: service("s"), pods: [], existing: undefined, triggerTime: undefined, ...state }).actions;

/** `ip,ip !ip : name/port` of each subset. */
const shape = (subsets: readonly core.EndpointSubset[] | undefined): readonly string[] =>
  (subsets ?? []).map(({ addresses = [], notReadyAddresses = [], ports = [] }) =>
    [
      [...addresses.map(({ ip }) => ip), ...notReadyAddresses.map(({ ip }) => `!${ip}`)].join(),
      ports.map(({ name = "", port }) => `${name}/${port}`).join(),
    ].join(" : "),
  );

describe("subsets", () => {
  const ready = pod("a", { ip: "10.1.0.1", ready: true });
  test.each<[string, Service, readonly Pod[], readonly string[]]>([
    ["no pods", service("s"), [], []],
    ["ready and not", service("s"), [ready, pod("b", { ip: "10.1.0.2" })], ["10.1.0.1,!10.1.0.2 : /8080"]],
    [
      "not ready published",
      service("s", { publishNotReadyAddresses: true }),
      [pod("b", { ip: "10.1.0.2" })],
      ["10.1.0.2 : /8080"],
    ],
    ["without address", service("s"), [pod("b", { ready: true })], []],
    ["ended", service("s"), [pod("b", { ip: "10.1.0.2", phase: "Succeeded" })], []],
    ["leaving", service("s"), [pod("b", { ip: "10.1.0.2", ready: true, deleting: true })], []],
    ["of the other family", service("s"), [pod("b", { ip: "fd00::1", ready: true })], []],
    ["port without target", service("s", { ports: [{ port: 80 }] }), [ready], ["10.1.0.1 : /80"]],
    [
      "named ports that differ",
      service("s", {
        ports: [
          { name: "web", port: 80, targetPort: "http" },
          { name: "adm", port: 9 },
        ],
      }),
      [withPort(ready, "http", 8001), withPort(pod("b", { ip: "10.1.0.2", ready: true }), "http", 8002)],
      ["10.1.0.1,10.1.0.2 : adm/9", "10.1.0.1 : web/8001", "10.1.0.2 : web/8002"],
    ],
    ["a named port that the pod lacks", service("s", { ports: [{ port: 80, targetPort: "http" }] }), [ready], []],
    ["headless without ports", service("s", { clusterIP: "None", ports: [] }), [ready], ["10.1.0.1 : "]],
  ])("%s", (_, given, pods, want) => {
    const [action] = decide({ service: given, pods });
    expect(action?.type === "Create" ? shape(action.endpoints.subsets) : undefined).toEqual(want);
  });
});

test("addresses name their pods", () => {
  const [action] = decide({ pods: [pod("a", { ip: "10.1.0.1", ready: true, node: "n" })] });
  expect(action).toMatchObject({
    type: "Create",
    endpoints: {
      metadata: { name: "s", namespace: "ns" },
      subsets: [
        {
          addresses: [
            { ip: "10.1.0.1", nodeName: "n", targetRef: { kind: "Pod", namespace: "ns", name: "a", uid: "uid-a" } },
          ],
          ports: [{ port: 8080, protocol: "TCP" }],
        },
      ],
    },
  });
});

describe("more than 1000 addresses are cut", () => {
  const ip = (n: number): string => `10.1.${n >> 8}.${n & 255}`;
  const numbered = (count: number, from: number, ready: boolean, port: number): Pod[] =>
    Array.from({ length: count }, (_, i) => withPort(pod(`p${from + i}`, { ip: ip(from + i), ready }), "http", port));
  const named = service("s", { ports: [{ port: 80, targetPort: "http" }] });
  const counts = (pods: readonly Pod[]): unknown => {
    const [action] = decide({ service: named, pods });
    if (action?.type !== "Create") throw new Error("not created");
    expect(action.endpoints.metadata.annotations).toEqual({ "endpoints.orchernetes.io/over-capacity": "truncated" });
    return (action.endpoints.subsets ?? []).map(({ addresses = [], notReadyAddresses = [] }) => [
      addresses.length,
      notReadyAddresses.length,
    ]);
  };
  test.each<[string, readonly Pod[], unknown]>([
    ["those that are not ready first", [...numbered(800, 0, true, 1), ...numbered(400, 800, false, 1)], [[800, 200]]],
    [
      "none that is not ready beside too many ready",
      [...numbered(1001, 0, true, 1), ...numbered(9, 1100, false, 1)],
      [[1000, 0]],
    ],
    [
      "ready ones of every port in proportion",
      [...numbered(900, 0, true, 1), ...numbered(300, 900, true, 2), ...numbered(5, 1200, false, 2)],
      [
        [750, 0],
        [250, 0],
      ],
    ],
    [
      "unready ones of every port in proportion",
      [...numbered(400, 0, true, 1), ...numbered(900, 400, false, 1), ...numbered(300, 1300, false, 2)],
      [
        [400, 450],
        [0, 150],
      ],
    ],
  ])("%s", (_, pods, want) => expect(counts(pods)).toEqual(want));
});

describe("writes only what changes", () => {
  const pods = [pod("a", { ip: "10.1.0.1", ready: true })];
  const [created] = decide({ pods });
  if (created?.type !== "Create") throw new Error("not created");
  const existing = { ...created.endpoints, metadata: { ...created.endpoints.metadata, ...meta("s") } };
  test.each<[string, Partial<EndpointsState>, readonly string[]]>([
    ["nothing changed", { pods, existing }, []],
    [
      "only a pod's version",
      { pods: pods.map((p) => ({ ...p, metadata: { ...p.metadata, resourceVersion: "2" } })), existing },
      [],
    ],
    ["a pod left", { pods: [], existing }, ["Update"]],
    [
      "labels",
      { service: { ...service("s"), metadata: { ...meta("s"), labels: { a: "b" } } }, pods, existing },
      ["Update"],
    ],
    ["the service is gone", { service: undefined, existing }, ["Delete"]],
    ["all is gone", { service: undefined }, []],
  ])("%s", (_, state, want) => {
    expect(decide(state).map(({ type }) => type)).toEqual(want);
  });
});
