import type { ApiObject, ResourceDefinition } from "@orchernetes/apimachinery";
import { describe, expect, test } from "vitest";
import { create, merged, row, subresourceStrategy, update } from "../../../test/support.ts";
import { erase } from "../../shared/definitions.ts";
import { configMaps } from "./config-map.ts";
import { endpoints } from "./endpoints.ts";
import { limitRanges } from "./limit-range.ts";
import { namespaces } from "./namespace.ts";
import { nodes } from "./node.ts";
import { persistentVolumes } from "./persistent-volume.ts";
import { persistentVolumeClaims } from "./persistent-volume-claim.ts";
import { podTemplates } from "./pod-template.ts";
import { replicationControllers } from "./replication-controller.ts";
import { resourceQuotas } from "./resource-quota.ts";
import { secrets } from "./secret.ts";
import { serviceAccounts } from "./service-account.ts";

type Definition = ResourceDefinition<ApiObject>;
const named = (body: object) => merged({ metadata: { name: "x", namespace: "ns" } }, body) as object;
const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i:1" }] } };
const volume = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } };
const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

const rows: [Definition, object, object][] = [
  [erase(configMaps), { data: { a: "1" } }, { data: { a: "1" } }],
  [
    erase(secrets),
    { data: { a: "MQ==" }, stringData: { b: "2", a: "3" } },
    { type: "Opaque", data: { a: "Mw==", b: "Mg==" } },
  ],
  [erase(serviceAccounts), { secrets: [{ name: "s", kind: "Secret" }] }, { secrets: [{ name: "s" }] }],
  [
    erase(namespaces),
    {},
    {
      spec: { finalizers: ["orchernetes"] },
      status: { phase: "Active" },
      metadata: { labels: { "orchernetes.io/metadata.name": "x" } },
    },
  ],
  [
    erase(nodes),
    { spec: { podCIDR: "10.0.0.0/24" }, status: { capacity: { cpu: "4" } } },
    { spec: { podCIDRs: ["10.0.0.0/24"] }, status: { allocatable: { cpu: "4" } } },
  ],
  [
    erase(limitRanges),
    { spec: { limits: [{ type: "Container", max: { cpu: "2" } }] } },
    { spec: { limits: [{ default: { cpu: "2" }, defaultRequest: { cpu: "2" } }] } },
  ],
  [
    erase(limitRanges),
    { spec: { limits: [{ type: "Container", min: { cpu: "1" } }] } },
    { spec: { limits: [{ defaultRequest: { cpu: "1" } }] } },
  ],
  [
    erase(resourceQuotas),
    { spec: { hard: { "count/jobs.batch": "1" } }, status: { used: { pods: "1" } } },
    { status: {} },
  ],
  [
    erase(replicationControllers),
    { spec: { template } },
    {
      metadata: { labels: { a: "b" } },
      spec: { replicas: 1, selector: { a: "b" }, template: { spec: { restartPolicy: "Always" } } },
      status: { replicas: 0 },
    },
  ],
  [erase(podTemplates), { template }, { template: { spec: { dnsPolicy: "ClusterFirst" } } }],
  [
    erase(persistentVolumes),
    { spec: volume },
    {
      spec: { persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem", hostPath: { type: "" } },
      status: { phase: "Pending" },
    },
  ],
  [
    erase(persistentVolumeClaims),
    { spec: { ...claim, dataSourceRef: { kind: "K", name: "n", apiGroup: "g.x" } } },
    { spec: { volumeMode: "Filesystem", dataSource: { kind: "K", name: "n" } }, status: { phase: "Pending" } },
  ],
  [
    erase(persistentVolumeClaims),
    { spec: { ...claim, dataSource: { kind: "PersistentVolumeClaim", name: "n" } } },
    { spec: { dataSourceRef: { name: "n" } } },
  ],
  [
    erase(endpoints),
    { subsets: [{ addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 1 }] }] },
    { subsets: [{ ports: [{ protocol: "TCP" }] }] },
  ],
];

test.each(rows.map(([definition, body, want]) => ({ kind: definition.kind, definition, body, want })))(
  "a new $kind",
  ({ definition, body, want }) => {
    const { object, errors } = create(definition, named(body));
    expect(errors).toEqual([]);
    expect(object).toMatchObject(want);
  },
);

const refused: [Definition, object, unknown[]][] = [
  [
    erase(configMaps),
    { data: { a: "1" }, binaryData: { a: "MQ==" } },
    [
      'data[a]: Invalid value: "a": duplicate of key present in binaryData',
      'binaryData[a]: Invalid value: "a": duplicate of key present in data',
    ],
  ],
  [erase(configMaps), { data: { a: "x".repeat(1024 * 1024 + 1) } }, [": Too long: must have at most 1048576 bytes"]],
  [erase(secrets), { type: "orchernetes.io/tls" }, ["data[tls.crt]: Required value", "data[tls.key]: Required value"]],
  [
    erase(endpoints),
    { subsets: [{ ports: [{ port: 1 }, { port: 2, name: "b" }] }] },
    [
      "subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`",
      "subsets[0].ports[0].name: Required value",
    ],
  ],
  [
    erase(endpoints),
    { subsets: [{ addresses: [{ ip: "127.0.0.1" }] }] },
    ['subsets[0].addresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8)'],
  ],
  [
    erase(limitRanges),
    { spec: { limits: [{ type: "Pod", max: { cpu: "1" }, min: { cpu: "2" } }] } },
    ['spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1'],
  ],
  [
    erase(replicationControllers),
    { spec: { selector: { a: "c" }, template } },
    [
      'spec.template.metadata.labels: Invalid value: map[string]string{"a":"b"}: `selector` does not match template `labels`',
    ],
  ],
  [
    erase(persistentVolumes),
    { spec: { ...volume, hostPath: { path: "/" }, persistentVolumeReclaimPolicy: "Recycle" } },
    ["spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'"],
  ],
  [
    erase(persistentVolumes),
    {
      spec: { ...volume, hostPath: null, csi: { driver: "d", volumeHandle: "h", nodePublishSecretRef: { name: "s" } } },
    },
    ["spec.csi.nodePublishSecretRef.namespace: Required value"],
  ],
  [
    erase(persistentVolumeClaims),
    { spec: { ...claim, accessModes: ["ReadWriteOncePod", "ReadWriteOnce"] } },
    ["spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes"],
  ],
  [erase(podTemplates), { template: { spec: { containers: [] } } }, ["template.spec.containers: Required value"]],
  [
    erase(namespaces),
    { spec: { finalizers: ["bad finalizer"] } },
    [expect.stringMatching(/^spec\.finalizers: Invalid value: "bad finalizer": name part must consist/)],
  ],
];

test.each(refused.map(([definition, body, want]) => ({ kind: definition.kind, definition, body, want })))(
  "a refused $kind",
  ({ definition, body, want }) => {
    expect(create(definition, merged(named({}), body)).errors).toEqual(want);
  },
);

const changes: [string, Definition, object, object, unknown[]][] = [
  [
    "immutable data",
    erase(configMaps),
    { immutable: true, data: { a: "1" } },
    { data: { a: "2" }, immutable: false },
    [
      "immutable: Forbidden: field is immutable when `immutable` is set",
      "data: Forbidden: field is immutable when `immutable` is set",
    ],
  ],
  [
    "labels of immutable data",
    erase(configMaps),
    { immutable: true, data: { a: "1" } },
    { metadata: { labels: { a: "b" } } },
    [],
  ],
  ["the type of a secret", erase(secrets), {}, { type: "x.y/z" }, ['type: Invalid value: "x.y/z": field is immutable']],
  [
    "scopes of a quota",
    erase(resourceQuotas),
    { spec: { hard: { pods: "1" } } },
    { spec: { scopes: ["BestEffort"] } },
    ['spec.scopes: Invalid value: []core.ResourceQuotaScope{"BestEffort"}: field is immutable'],
  ],
  [
    "the provider of a node",
    erase(nodes),
    { spec: { providerID: "a://1" } },
    { spec: { providerID: "b://1" } },
    ['spec.providerID: Forbidden: node updates may not change providerID except from "" to valid'],
  ],
  [
    "the last taint of a node",
    erase(nodes),
    { spec: { taints: [{ key: "k", effect: "NoSchedule" }] } },
    { spec: { taints: null } },
    [],
  ],
  [
    "taints of a node",
    erase(nodes),
    {},
    { spec: { unschedulable: true, taints: [{ key: "k", effect: "NoSchedule" }] } },
    [],
  ],
  [
    "the source of a volume",
    erase(persistentVolumes),
    { spec: volume },
    { spec: { hostPath: { path: "/y" } } },
    [
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n-hostPath.path: "/x"\n+hostPath.path: "/y"',
    ],
  ],
  [
    "the policy of a volume",
    erase(persistentVolumes),
    { spec: volume },
    { spec: { persistentVolumeReclaimPolicy: "Delete" } },
    [],
  ],
  ["the volume of a claim", erase(persistentVolumeClaims), { spec: claim }, { spec: { volumeName: "v" } }, []],
  [
    "the size of an unbound claim",
    erase(persistentVolumeClaims),
    { spec: claim },
    { spec: { resources: { requests: { storage: "2Gi" } } } },
    [
      expect.stringMatching(
        /^spec: Forbidden: spec is immutable after creation except resources\.requests for bound claims\n/,
      ),
    ],
  ],
];

test.each(changes.map(([title, definition, body, patch, want]) => ({ title, definition, body, patch, want })))(
  "changing $title",
  ({ definition, body, patch, want }) => {
    const { object } = create(definition, named(body));
    expect(update(definition, object, merged(object, patch)).errors).toEqual(want);
  },
);

test("a bound claim can be expanded", () => {
  const { object } = create(persistentVolumeClaims, named({ spec: claim }));
  const bound = { ...object, status: { ...object.status, phase: "Bound" as const } };
  const ask = (storage: string) =>
    update(persistentVolumeClaims, bound, merged(bound, { spec: { resources: { requests: { storage } } } })).errors;
  expect(ask("2Gi")).toEqual([]);
  expect(ask("0")).toContain("spec.resources.requests.storage: Forbidden: field can not be less than status.capacity");
});

describe("namespaces", () => {
  const { strategy } = namespaces;
  const live = create(namespaces, named({})).object;

  test("are held until their content is deleted", () => {
    const draft = structuredClone(live) as Parameters<NonNullable<typeof strategy.prepareForDelete>>[0];
    strategy.prepareForDelete?.(draft);
    expect([strategy.holdsDeletion?.(live), draft.status.phase]).toEqual([true, "Terminating"]);
  });

  test("finalizers change only through finalize", () => {
    const patch = merged(live, { spec: { finalizers: [] }, status: { phase: "Terminating" } });
    expect(update(namespaces, live, patch).object).toMatchObject({ spec: live.spec, status: live.status });
    const finalized = update(namespaces, live, patch, subresourceStrategy(namespaces, "finalize")).object;
    expect(finalized.spec.finalizers ?? []).toEqual([]);
    expect(finalized.status).toEqual(live.status);
  });

  test("are terminating exactly while being deleted", () => {
    const strategy = subresourceStrategy(namespaces, "status");
    const { errors } = update(namespaces, live, merged(live, { status: { phase: "Terminating" } }), strategy);
    expect(errors).toEqual([
      "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty",
    ]);
  });
});

test("the status of a replication controller is consistent", () => {
  const { object } = create(replicationControllers, named({ spec: { template } }));
  const patch = merged(object, { status: { replicas: 1, readyReplicas: 2, availableReplicas: 1 } });
  expect(
    update(replicationControllers, object, patch, subresourceStrategy(replicationControllers, "status")).errors,
  ).toEqual(["status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas"]);
});

const tables: [Definition, object, unknown[]][] = [
  [
    erase(nodes),
    {
      metadata: { labels: { "node-role.orchernetes.io/control-plane": "", "orchernetes.io/role": "edge" } },
      spec: { unschedulable: true },
      status: { conditions: [{ type: "Ready", status: "True" }], nodeInfo: { orchletVersion: "v1" } },
    },
    [
      "x",
      "Ready,SchedulingDisabled",
      "control-plane,edge",
      "<unknown>",
      "v1",
      "<none>",
      "<none>",
      "<unknown>",
      "<unknown>",
      "<unknown>",
    ],
  ],
  [
    erase(resourceQuotas),
    { status: { hard: { pods: "2", "limits.cpu": "3" }, used: { pods: "1" } } },
    ["x", "<unknown>", "pods: 1/2", "limits.cpu: 0/3"],
  ],
  [
    erase(persistentVolumes),
    { spec: { ...volume, claimRef: { namespace: "n", name: "c" } } },
    ["x", "1Gi", "RWO", "Retain", "Pending", "n/c", "", "", "<unknown>", "Filesystem"],
  ],
  [
    erase(endpoints),
    { subsets: [{ addresses: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }], ports: [{ port: 1 }, { port: 2 }] }] },
    ["x", "10.0.0.1:1,10.0.0.2:1,10.0.0.1:2 + 1 more...", "<unknown>"],
  ],
  [erase(endpoints), {}, ["x", "<none>", "<unknown>"]],
];

test.each(tables.map(([definition, body, want]) => ({ kind: definition.kind, definition, body, want })))(
  "table row of $kind",
  ({ definition, body, want }) => {
    expect(row(definition, named(body))).toEqual(want);
  },
);
