import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { meta, service } from "../../testing/builders.ts";
import type { EndpointSlice } from "../service-pods/managed-slices.ts";
import { type MirrorAction, type MirrorState, reconcile } from "./reconcile.ts";

type Endpoints = Stored<core.Endpoints>;
type Subset = NonNullable<core.Endpoints["subsets"]>[number];

const web = { name: "web", port: 80, protocol: "TCP" } as const;
const dns = { name: "dns", port: 53, protocol: "UDP" } as const;

function endpoints(subsets: readonly Subset[], metadata: object = {}): Endpoints {
  return { metadata: { ...meta("svc"), ...metadata }, subsets };
}
const owned = { apiVersion: "v1", kind: "Endpoints", name: "svc", uid: "uid-svc" };
const owner = { ...owned, controller: true, blockOwnerDeletion: true };
const labels = {
  "orchernetes.io/service-name": "svc",
  "endpointslice.orchernetes.io/managed-by": "endpointslicemirroring-controller.o8s.io",
};
/** A service without selector. */
const target = (() => {
  const made = service("svc");
  const { selector: _, ...spec } = made.spec;
  return { ...made, spec };
})();

function plan(of: Endpoints | undefined, slices: readonly EndpointSlice[] = [], changes: Partial<MirrorState> = {}) {
  return reconcile({ endpoints: of, service: target, slices, maxEndpointsPerSubset: 1000, ...changes });
}

/** The slices as they would be stored after a plan. */
function after(actions: readonly MirrorAction[]): EndpointSlice[] {
  return actions.flatMap((action, i) => {
    if (action.type === "Update") return [action.slice];
    if (action.type !== "Create") return [];
    return [{ ...action.slice, metadata: { ...action.slice.metadata, ...meta(`svc-${i}`) } }];
  });
}
const kinds = (actions: readonly MirrorAction[]) => actions.map(({ type }) => type);

test("each family and set of ports has a slice, with labels and annotations of the Endpoints", () => {
  const targetRef = { kind: "Pod", name: "p", namespace: "ns" };
  const of = endpoints(
    [
      {
        addresses: [{ ip: "10.0.0.1", nodeName: "n", hostname: "h", targetRef }, { ip: "fd00:0::1" }],
        notReadyAddresses: [{ ip: "10.0.0.2" }],
        ports: [web],
      },
      { addresses: [{ ip: "10.0.0.3" }], ports: [{ ...dns, appProtocol: "example.com/dns" }] },
    ],
    {
      labels: { app: "x", "endpointslice.orchernetes.io/managed-by": "somebody" },
      annotations: {
        note: "y",
        "endpoints.orchernetes.io/last-change-trigger-time": "2024-01-01T00:00:00Z",
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
      },
    },
  );
  const { actions, totals } = plan(of);
  const metadata = {
    generateName: "svc-",
    namespace: "ns",
    labels: { app: "x", ...labels },
    annotations: { note: "y" },
    ownerReferences: [owner],
  };
  const first = { addresses: ["10.0.0.1"], conditions: { ready: true }, hostname: "h", targetRef, nodeName: "n" };
  expect(actions).toEqual([
    {
      type: "Create",
      slice: {
        metadata,
        addressType: "IPv4",
        ports: [web],
        endpoints: [first, { addresses: ["10.0.0.2"], conditions: { ready: false } }],
      },
    },
    {
      type: "Create",
      slice: {
        metadata,
        addressType: "IPv6",
        ports: [web],
        endpoints: [{ addresses: ["fd00::1"], conditions: { ready: true } }],
      },
    },
    {
      type: "Create",
      slice: {
        metadata,
        addressType: "IPv4",
        ports: [{ ...dns, appProtocol: "example.com/dns" }],
        endpoints: [{ addresses: ["10.0.0.3"], conditions: { ready: true } }],
      },
    },
  ]);
  expect(totals).toMatchObject({ added: 4, updated: 0, removed: 0, skipped: 0, desiredEndpoints: 4, desiredSlices: 3 });
  expect(plan(of, after(actions)).actions).toEqual([]);
});

test.each<[string, Endpoints | undefined, Partial<MirrorState>]>([
  ["that do not exist", undefined, {}],
  [
    "that are marked to be skipped",
    endpoints([], { labels: { "endpointslice.orchernetes.io/skip-mirror": "true" } }),
    {},
  ],
  ["that record a leader", endpoints([], { annotations: { "control-plane.alpha.orchernetes.io/leader": "{}" } }), {}],
  ["without a service", endpoints([]), { service: undefined }],
  ["of a service with a selector", endpoints([]), { service: service("svc") }],
])("the slices of Endpoints %s are deleted", (_, of, changes) => {
  const slices = after(plan(endpoints([{ addresses: [{ ip: "10.0.0.1" }], ports: [web] }])).actions);
  const deleted = plan(of, slices, changes);
  expect(kinds(deleted.actions)).toEqual(["Delete"]);
  expect(deleted.totals).toBeUndefined();
});

test("a changed address, label or annotation is one update; a surplus slice of the same ports is deleted", () => {
  const address = { ip: "10.0.0.1" };
  const of = (ready: boolean, metadata: object = {}) =>
    endpoints(
      [ready ? { addresses: [address], ports: [web] } : { notReadyAddresses: [address], ports: [web] }],
      metadata,
    );
  const slices = after(plan(of(true)).actions);
  const unready = plan(of(false), slices);
  expect(kinds(unready.actions)).toEqual(["Update"]);
  expect(unready.totals).toMatchObject({ added: 0, updated: 1, removed: 0 });
  expect(kinds(plan(of(true, { labels: { a: "b" } }), slices).actions)).toEqual(["Update"]);
  expect(kinds(plan(of(true, { annotations: { a: "b" } }), slices).actions)).toEqual(["Update"]);
  const [slice] = slices;
  if (slice === undefined) throw new Error("not created");
  const twin = { ...slice, metadata: { ...slice.metadata, ...meta("svc-z") } };
  const { actions } = plan(of(true), [twin, slice]);
  expect(actions).toMatchObject([{ type: "Delete", slice: { metadata: { name: "svc-z" } } }]);
});

test("the order of ports does not matter, and slices of former ports are used for new ones of the same family", () => {
  const addresses = [{ ip: "10.0.0.1" }];
  const slices = after(plan(endpoints([{ addresses, ports: [web, dns] }])).actions);
  expect(plan(endpoints([{ addresses, ports: [dns, web] }]), slices).actions).toEqual([]);
  const { actions } = plan(endpoints([{ addresses, ports: [dns] }]), slices);
  expect(actions).toMatchObject([{ type: "Update", slice: { ports: [dns], metadata: { name: "svc-0" } } }]);
  const other = plan(endpoints([{ addresses: [{ ip: "fd00::1" }], ports: [web] }]), slices);
  expect(kinds(other.actions)).toEqual(["Create", "Delete"]);
});

test("Endpoints that are being deleted get no new slices", () => {
  const of = endpoints([{ addresses: [{ ip: "10.0.0.1" }], ports: [web] }], {
    deletionTimestamp: "2024-01-01T00:00:00Z",
  });
  expect(plan(of).actions).toEqual([]);
});

test("of thousands of addresses as many are mirrored as a slice may hold, and an event tells of the others", () => {
  const many = Array.from({ length: 5000 }, (_, i) => ({ ip: `10.0.${i >> 8}.${i & 255}` }));
  const of = endpoints([
    { addresses: [{ ip: "not an address" }, ...many.slice(0, 900)], notReadyAddresses: many.slice(900), ports: [web] },
    { addresses: [{ ip: "10.1.0.1" }], ports: [web] },
  ]);
  const { actions, totals } = plan(of);
  expect(actions.slice(0, 2)).toEqual([
    {
      type: "Warn",
      reason: "InvalidIPAddress",
      message: "Skipped 1 invalid IP addresses when mirroring to EndpointSlices",
    },
    {
      type: "Warn",
      reason: "TooManyAddressesToMirror",
      message:
        "A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. 4001 addresses were skipped",
    },
  ]);
  expect(kinds(actions.slice(2))).toEqual(["Create"]);
  const [slice] = after(actions);
  expect(slice?.endpoints).toHaveLength(1000);
  expect(slice?.endpoints[900]).toEqual({ addresses: ["10.0.3.132"], conditions: { ready: false } });
  expect(totals).toMatchObject({ added: 1000, skipped: 4001, desiredEndpoints: 1001 });
  expect(kinds(plan(of, after(actions)).actions)).toEqual(["Warn", "Warn"]);
});

test("an address that several subsets name is one endpoint", () => {
  const subset = { addresses: [{ ip: "10.0.0.1" }], ports: [web] };
  const { actions } = plan(endpoints([subset, { ...subset, addresses: [{ ip: "010.0.0.1" }] }]));
  expect(after(actions).map((slice) => slice.endpoints.length)).toEqual([1]);
});

test("an object with thousands of sets of ports has a hundred slices, and an event tells of the others", () => {
  const subsets = Array.from({ length: 3000 }, (_, i) => ({
    addresses: [{ ip: "10.0.0.1" }],
    ports: [{ name: "web", port: i + 1, protocol: "TCP" } as const],
  }));
  const { actions, totals } = plan(endpoints(subsets));
  expect(actions[0]).toEqual({
    type: "Warn",
    reason: "TooManySubsetsToMirror",
    message:
      "A max of 100 EndpointSlices can mirror an Endpoints object. 2900 addresses with further ports were skipped",
  });
  expect(after(actions).map((slice) => slice.ports?.[0]?.port)).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
  expect(totals).toMatchObject({ added: 100, skipped: 2900, desiredSlices: 100 });
  expect(kinds(plan(endpoints(subsets), after(actions)).actions)).toEqual(["Warn"]);
  // The ports of a slice are still found behind the limit.
  const again = [...subsets, { addresses: [{ ip: "10.0.0.2" }], ports: [{ ...web, port: 1 }] }];
  expect(after(plan(endpoints(again)).actions)[0]?.endpoints).toHaveLength(2);
});

test("annotations beyond a size are not repeated in slices", () => {
  const large = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, "x".repeat(1000)]));
  const annotations = { note: "y", a: "x".repeat(4096), ...large };
  const { actions } = plan(endpoints([{ addresses: [{ ip: "10.0.0.1" }], ports: [web] }], { annotations }));
  const kept = after(actions)[0]?.metadata.annotations ?? {};
  expect(Object.keys(kept)).toHaveLength(17);
  expect(kept).toMatchObject({ note: "y", k0: large.k0 });
  expect(kept.a).toBeUndefined();
});
