import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { describe, expect, test } from "vitest";
import { meta, pod, service } from "../../testing/builders.ts";
import type { EndpointSlice } from "../service-pods/managed-slices.ts";
import type { Pod, Service } from "../service-pods/service-selector.ts";
import { type EndpointSliceState, reconcile } from "./reconcile.ts";
import { zoneShares } from "./topology-hints.ts";

const node = (name: string, zone: string, cpu = "1"): Stored<core.Node> => ({
  metadata: { ...meta(name), labels: { "topology.orchernetes.io/zone": zone } },
  spec: {},
  status: {
    allocatable: { cpu },
    conditions: [{ type: "Ready", status: "True" }],
  } as unknown as core.NodeStatus,
});
const podsOf = (...numbers: readonly number[]): readonly Pod[] =>
  numbers.map((n) => pod(`p${n}`, { ip: `10.1.0.${n}`, ready: true, node: "n" }));

/** Applies decisions to slices, and returns the actions. */
function run(slices: readonly EndpointSlice[], pods: readonly Pod[], more: Partial<EndpointSliceState> = {}) {
  const { actions: all } = reconcile({
    service: service("s"),
    pods,
    slices,
    nodeOf: () => node("n", "z"),
    zoneShares: undefined,
    isHinted: false,
    triggerTime: undefined,
    maxEndpointsPerSlice: 3,
    ...more,
  });
  const told = all.flatMap((action) => (action.type === "TellHints" ? [[action.areGiven, action.message]] : []));
  const actions = all.filter((action) => action.type !== "TellHints");
  let after = [...slices];
  for (const action of actions) {
    const at = after.findIndex(({ metadata }) => metadata.uid === (action.slice.metadata.uid ?? ""));
    if (action.type === "Create") {
      const stored = meta(action.slice.metadata.name ?? `slice-${after.length}-${slices.length}`);
      after.push({ ...action.slice, metadata: { ...action.slice.metadata, ...stored, uid: stored.name } });
    } else if (action.type === "Update") after[at] = action.slice;
    else after = after.filter((_, i) => i !== at);
  }
  return {
    did: actions.map(({ type }) => type),
    told,
    after,
    shape: after.map(({ endpoints }) => endpoints.map(({ targetRef }) => targetRef?.name?.slice(1)).join()),
  };
}

describe("slices", () => {
  const full = run([], podsOf(1, 2, 3, 4, 5)).after;
  test.each<[string, readonly EndpointSlice[], readonly Pod[], readonly string[], readonly string[]]>([
    ["first pods", [], podsOf(1, 2, 3, 4, 5), ["Create", "Create"], ["1,2,3", "4,5"]],
    ["nothing changed", full, podsOf(1, 2, 3, 4, 5), [], ["1,2,3", "4,5"]],
    ["one more fits in", full, podsOf(1, 2, 3, 4, 5, 6), ["Update"], ["1,2,3", "4,5,6"]],
    ["one leaves and one comes: one write", full, podsOf(1, 3, 4, 5, 6), ["Update"], ["1,3,6", "4,5"]],
    ["what does not fit is a new slice", full, podsOf(1, 2, 3, 4, 5, 6, 7), ["Create"], ["1,2,3", "4,5", "6,7"]],
    ["an emptied slice goes", full, podsOf(1, 2, 3), ["Delete"], ["1,2,3"]],
    ["no pods: one empty slice", [], [], ["Create"], [""]],
    ["the last pod leaves", run([], podsOf(1)).after, [], ["Update"], [""]],
    ["the first pod comes", run([], []).after, podsOf(1), ["Update"], ["1"]],
  ])("%s", (_, slices, pods, did, shape) => {
    const got = run(slices, pods);
    expect([got.did, got.shape]).toEqual([did, shape]);
    expect(run(got.after, pods).did).toEqual([]);
  });
});

test.each<[string, Parameters<typeof pod>[1], Partial<Service["spec"]>, object]>([
  ["ready", { ready: true }, {}, { ready: true, serving: true, terminating: false }],
  ["not ready", {}, {}, { ready: false, serving: false, terminating: false }],
  ["leaving but serving", { ready: true, deleting: true }, {}, { ready: false, serving: true, terminating: true }],
  ["published anyway", {}, { publishNotReadyAddresses: true }, { ready: true, serving: false, terminating: false }],
])("conditions of a pod that is %s", (_, sketch, spec, want) => {
  const { after } = run([], [pod("p1", { ip: "10.1.0.1", ...sketch })], { service: service("s", spec) });
  expect(after[0]?.endpoints[0]?.conditions).toEqual(want);
});

test("a slice has the labels and the owner of its service", () => {
  const { after } = run([], podsOf(1));
  expect(after[0]).toMatchObject({
    metadata: {
      generateName: "s-",
      namespace: "ns",
      labels: {
        "orchernetes.io/service-name": "s",
        "endpointslice.orchernetes.io/managed-by": "endpointslice-controller.o8s.io",
      },
      ownerReferences: [{ apiVersion: "v1", kind: "Service", name: "s", uid: "uid-s", controller: true }],
    },
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.1.0.1"], nodeName: "n", zone: "z", targetRef: { kind: "Pod", name: "p1" } }],
    ports: [{ name: "", port: 8080, protocol: "TCP" }],
  });
});

test("a dual-stack service has slices of both families", () => {
  const both = podsOf(1).map((p) => ({
    ...p,
    status: { ...p.status, podIPs: [{ ip: "10.1.0.1" }, { ip: "fd00::1" }] },
  }));
  const { after } = run([], both, { service: service("s", { ipFamilies: ["IPv4", "IPv6"] }) });
  expect(after.map(({ addressType, endpoints }) => `${addressType} ${endpoints[0]?.addresses[0]}`)).toEqual([
    "IPv4 10.1.0.1",
    "IPv6 fd00::1",
  ]);
});

describe("pods of a deleted node", () => {
  const pods = [...podsOf(1), pod("p2", { ip: "10.1.0.2", ready: true, node: "gone" })];
  const nodeOf = (name: string) => (name === "gone" ? undefined : node(name, "z"));
  test("are not endpoints, and are checked again", () => {
    expect(run([], pods, { nodeOf }).shape).toEqual(["1"]);
    const state = {
      service: service("s"),
      pods,
      slices: [],
      nodeOf,
      zoneShares: undefined,
      isHinted: false,
      triggerTime: undefined,
    };
    expect(reconcile({ ...state, maxEndpointsPerSlice: 3 }).requeueAfterMs).toBeGreaterThan(0);
    expect(reconcile({ ...state, pods: podsOf(1), maxEndpointsPerSlice: 3 }).requeueAfterMs).toBeUndefined();
  });
  test("are endpoints if not-ready addresses are published", () => {
    const published = service("s", { publishNotReadyAddresses: true });
    expect(run([], pods, { nodeOf, service: published }).shape).toEqual(["1,2"]);
  });
});

describe("topology hints", () => {
  const annotated = (mode: string): Service => {
    const plain = service("s");
    return { ...plain, metadata: { ...plain.metadata, annotations: { "service.orchernetes.io/topology-mode": mode } } };
  };
  const nodes = [node("a", "za"), node("b", "zb")];
  const nodeOf = (name: string) => nodes.find(({ metadata }) => metadata.name === name);
  const podsOn = (on: string): readonly Pod[] =>
    [...on].map((name, i) => pod(`p${i + 1}`, { ip: `10.1.0.${i + 1}`, ready: true, node: name }));
  const auto = { service: annotated("Auto"), nodeOf, zoneShares: zoneShares(nodes), maxEndpointsPerSlice: 100 };
  const hints = (slices: readonly EndpointSlice[]): string =>
    slices
      .flatMap(({ endpoints }) => endpoints)
      .map((endpoint) => endpoint.hints?.forZones?.map(({ name }) => name).join() ?? "-")
      .join(" ");

  test.each<[string, string, Partial<EndpointSliceState>, string]>([
    ["each zone serves itself", "aabb", {}, "za za zb zb"],
    ["a zone with too few borrows", "aaab", {}, "zb za za zb"],
    ["a zone with none borrows", "aaaa", {}, "zb zb za za"],
    ["fewer endpoints than zones: none", "a", {}, "-"],
    ["a zone is unknown: none", "aab", { nodeOf: () => node("x", "") }, "- - -"],
    ["one zone: none", "aabb", { zoneShares: zoneShares([node("a", "za")]) }, "- - - -"],
    ["not asked for: none", "aabb", { service: annotated("Disabled") }, "- - - -"],
  ])("%s", (_, on, more, want) => expect(hints(run([], podsOn(on), { ...auto, ...more }).after)).toBe(want));

  test.each<[string, string, Partial<EndpointSliceState>, readonly unknown[]]>([
    ["given once", "aabb", {}, [[true, "Topology Aware Hints has been enabled, addressType: IPv4"]]],
    ["given before", "aabb", { isHinted: true }, []],
    [
      "too few",
      "a",
      { isHinted: true },
      [[false, "Insufficient number of endpoints (1 endpoints, 2 zones), addressType: IPv4"]],
    ],
    [
      "unknown zone",
      "aabb",
      { nodeOf: () => node("x", "") },
      [[false, "One or more endpoints do not have a zone specified, addressType: IPv4"]],
    ],
    [
      "one zone",
      "aabb",
      { zoneShares: undefined },
      [
        [
          false,
          "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes, addressType: IPv4",
        ],
      ],
    ],
    ["never asked for", "aabb", { service: service("s") }, []],
    [
      "no longer asked for",
      "aabb",
      { service: service("s"), isHinted: true },
      [[false, "Topology Aware Hints has been disabled, addressType: IPv4"]],
    ],
  ])("events: %s", (_, on, more, want) => expect(run([], podsOn(on), { ...auto, ...more }).told).toEqual(want));

  test("are kept while nothing changes, and removed when they are no longer enabled", () => {
    const { after } = run([], podsOn("aaab"), auto);
    expect(run(after, podsOn("aaab"), auto).did).toEqual([]);
    const off = run(after, podsOn("aaab"), { ...auto, service: service("s") });
    expect([off.did, hints(off.after)]).toEqual([["Update"], "- - - -"]);
  });

  test("shares follow the CPU of ready nodes that may run pods", () => {
    const control = node("c", "zc");
    const excluded = {
      ...control,
      metadata: {
        ...control.metadata,
        labels: { ...control.metadata.labels, "node-role.orchernetes.io/control-plane": "" },
      },
    };
    expect([...(zoneShares([node("a", "za", "3"), node("b", "zb", "1"), excluded]) ?? [])]).toEqual([
      ["za", 0.75],
      ["zb", 0.25],
    ]);
    expect(zoneShares([node("a", "za"), node("b", "")])).toBeUndefined();
  });
});
