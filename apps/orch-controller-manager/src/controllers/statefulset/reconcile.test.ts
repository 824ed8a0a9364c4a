import type { apps } from "@orchernetes/api";
import { seededNumbers } from "@orchernetes/testkit";
import { describe, expect, test } from "vitest";
import { meta, type PodSketch, pod as podOf, template } from "../../testing/builders.ts";
import { claimsOf, type Pod, type StatefulSet, statefulPod } from "./identity.ts";
import { reconcile } from "./reconcile.ts";
import { type Claim, claimOwners, repairedPod } from "./repair.ts";
import { statusOf } from "./status.ts";

const now = new Date("2024-01-01T00:10:00Z");

function set(replicas: number, spec: Partial<apps.StatefulSetSpec> = {}): StatefulSet {
  return {
    metadata: { ...meta("s"), generation: 2 },
    spec: {
      replicas,
      serviceName: "svc",
      selector: { matchLabels: { app: "x" } },
      template: template(),
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      ...spec,
    },
    status: { replicas: 0, availableReplicas: 0 },
  };
}
const pod = (ordinal: number, more: PodSketch = {}, revision = "new"): Pod =>
  podOf(`s-${ordinal}`, {
    ready: true,
    labels: {
      app: "x",
      "controller-revision-hash": revision,
      "statefulset.orchernetes.io/pod-name": `s-${ordinal}`,
    },
    ...more,
  });

function decide(of: StatefulSet, pods: readonly Pod[], claims: readonly Claim[] = []): string {
  const claim = (name: string) => claims.find(({ metadata }) => metadata.name === name);
  return reconcile({ set: of, pods, currentRevision: "old", updateRevision: "new", claim }, now)
    .map((action) => {
      switch (action.type) {
        case "CreatePod":
          return `+${action.ordinal} ${action.revision}`;
        case "DeletePod":
          return `-${action.pod.metadata.name} ${action.reason}`;
        default:
          return `${action.type} ${action.pod.metadata.name}`;
      }
    })
    .join(", ");
}

const parallel = { podManagementPolicy: "Parallel" } as const;
const unready = { ready: false };
const partition = (n: number) =>
  ({ updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: n } } }) as const;

test.each<[string, StatefulSet, readonly Pod[], string]>([
  ["one at a time", set(3), [], "+0 new"],
  ["the next when the first is ready", set(3), [pod(0)], "+1 new"],
  ["not before", set(3), [pod(0, unready)], ""],
  ["all at once", set(3, parallel), [], "+0 new, +1 new, +2 new"],
  ["gaps are filled", set(3), [pod(0), pod(2)], "+1 new"],
  ["other ordinals", set(2, { ordinals: { start: 5 } }), [pod(5)], "+6 new"],
  ["failed", set(2), [pod(0, { phase: "Failed" })], "-s-0 failed"],
  ["on its way out", set(2), [pod(0, { deleting: true })], ""],
  ["shrinks from the end", set(1), [pod(0), pod(1), pod(2)], "-s-2 scaled"],
  ["shrinks all at once", set(1, parallel), [pod(0), pod(1), pod(2)], "-s-2 scaled, -s-1 scaled"],
  ["shrinking waits", set(1), [pod(0), pod(1), pod(2, { deleting: true })], ""],
  ["updates from the end", set(2), [pod(0, {}, "old"), pod(1, {}, "old")], "-s-1 updated"],
  ["updates wait", set(2), [pod(0, {}, "old"), pod(1, unready)], ""],
  ["updates go on", set(2), [pod(0, {}, "old"), pod(1)], "-s-0 updated"],
  ["partition", set(2, partition(1)), [pod(0, {}, "old"), pod(1)], ""],
  ["below the partition the old revision", set(2, partition(1)), [], "+0 old"],
  [
    "the partition counts from the first ordinal",
    set(3, { ordinals: { start: 5 }, ...partition(2) }),
    [pod(5, {}, "old"), pod(6, {}, "old"), pod(7)],
    "",
  ],
  [
    "updates with another first ordinal",
    set(3, { ordinals: { start: 5 }, ...partition(1) }),
    [pod(5, {}, "old"), pod(6, {}, "old"), pod(7)],
    "-s-6 updated",
  ],
  ["on delete", set(1, { updateStrategy: { type: "OnDelete" } }), [pod(0, {}, "old")], ""],
])("%s", (_, of, pods, want) => expect(decide(of, pods)).toBe(want));

const data = { metadata: { name: "data" }, spec: { resources: {} }, status: {} };
const withClaims = (replicas: number, whenDeleted: "Retain" | "Delete", whenScaled: "Retain" | "Delete") =>
  set(replicas, {
    volumeClaimTemplates: [data],
    persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
  });
const claim = (name: string, ...owners: readonly string[]): Claim => ({
  metadata: {
    ...meta(name),
    ownerReferences: owners.map((owner) => ({ apiVersion: "v1", kind: "K", name: owner, uid: `uid-${owner}` })),
  },
  spec: { resources: {} },
  status: {},
});
const withVolume = (of: Pod): Pod => ({
  ...of,
  spec: {
    ...of.spec,
    volumes: [{ name: "data", persistentVolumeClaim: { claimName: `data-${of.metadata.name}` } }],
  },
});

describe("repairs", () => {
  const plain = withClaims(1, "Retain", "Retain");
  const unlabelled = pod(0, { labels: { app: "x", "controller-revision-hash": "new" } });
  const pending = withVolume(pod(0, { phase: "Pending", ready: false }));
  test.each<[string, StatefulSet, readonly Pod[], readonly Claim[], string]>([
    ["nothing to do", plain, [withVolume(pod(0))], [claim("data-s-0")], ""],
    ["a label that is gone", set(1), [unlabelled], [], "RepairPod s-0"],
    ["a volume that is missing", plain, [pod(0)], [claim("data-s-0")], "RepairPod s-0"],
    ["a claim that is gone", plain, [withVolume(pod(0))], [], "RepairPod s-0"],
    ["a claim that a pending pod waits for", plain, [pending], [], "CreateClaims s-0"],
    [
      "a claim that goes with the set",
      withClaims(1, "Delete", "Retain"),
      [withVolume(pod(0))],
      [claim("data-s-0")],
      "RepairPod s-0",
    ],
    [
      "a claim that goes with its pod",
      withClaims(0, "Delete", "Delete"),
      [withVolume(pod(0))],
      [claim("data-s-0", "s")],
      "RepairClaims s-0, -s-0 scaled",
    ],
  ])("%s", (_, of, pods, claims, want) => expect(decide(of, pods, claims)).toBe(want));

  test("give the label and the volume back and leave the rest", () => {
    const broken = { ...unlabelled, spec: { ...unlabelled.spec, volumes: [{ name: "own", emptyDir: {} }] } };
    expect(repairedPod(plain, broken)).toMatchObject({
      metadata: { labels: { app: "x", "statefulset.orchernetes.io/pod-name": "s-0" } },
      spec: { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data-s-0" } }, { name: "own" }] },
    });
  });

  test.each<["Retain" | "Delete", "Retain" | "Delete", number, readonly string[], readonly string[] | undefined]>([
    ["Retain", "Retain", 1, ["s", "x"], ["x"]],
    ["Delete", "Retain", 1, ["x"], ["x", "s"]],
    ["Delete", "Retain", 0, ["s"], undefined],
    ["Retain", "Delete", 1, ["s-0"], []],
    ["Retain", "Delete", 0, [], ["s-0"]],
    ["Delete", "Delete", 1, ["s-0"], ["s"]],
    ["Delete", "Delete", 0, ["s"], ["s-0"]],
  ])("owners: deleted %s, scaled %s, %i replicas, %j", (whenDeleted, whenScaled, replicas, have, want) => {
    const owners = claimOwners(withClaims(replicas, whenDeleted, whenScaled), pod(0), claim("data-s-0", ...have));
    expect(owners?.map(({ name }) => name)).toEqual(want);
  });
});

test("status", () => {
  const state = { set: set(3), currentRevision: "old", updateRevision: "new", claim: () => undefined };
  const pods = [pod(0, {}, "old"), pod(1), pod(2, unready)];
  expect(statusOf({ ...state, pods }, now)).toMatchObject({
    replicas: 3,
    readyReplicas: 2,
    availableReplicas: 2,
    currentReplicas: 1,
    updatedReplicas: 2,
    currentRevision: "old",
    updateRevision: "new",
    observedGeneration: 2,
  });
  const done = statusOf({ ...state, pods: [pod(0), pod(1), pod(2)] }, now);
  expect(done).toMatchObject({ currentRevision: "new", currentReplicas: 3 });
});

test("a pod's name, host name and claims follow its ordinal", () => {
  const claim = { metadata: { name: "data" }, spec: { resources: {} }, status: {} };
  const of = set(1, { volumeClaimTemplates: [claim], persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" } });
  const made = statefulPod(of, of.spec.template, "s-abc", 4);
  expect(made).toMatchObject({
    metadata: {
      name: "s-4",
      labels: { app: "x", "statefulset.orchernetes.io/pod-name": "s-4", "controller-revision-hash": "s-abc" },
    },
    spec: {
      hostname: "s-4",
      subdomain: "svc",
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data-s-4" } }],
    },
  });
  expect(claimsOf(of, "s-4")).toMatchObject([
    { metadata: { name: "data-s-4", labels: { app: "x" }, ownerReferences: [{ kind: "StatefulSet", name: "s" }] } },
  ]);
});

test.each([
  [5, undefined],
  [6, undefined],
  [4, ["s-4"]],
  [7, ["s-7"]],
  [0, ["s-0"]],
])("of a set that counts from 5, the claims of pod %i belong to", (ordinal, want) => {
  const of = set(2, {
    ordinals: { start: 5 },
    persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete", whenDeleted: "Retain" },
  });
  const owners = claimOwners(of, pod(ordinal), claim(`data-s-${ordinal}`));
  expect(owners?.map(({ name }) => name)).toEqual(want);
});

test("any set comes to rest, with its ordinals and no others, and old revisions below the partition alone", () => {
  const next = seededNumbers(17);
  for (let round = 0; round < 400; round++) {
    const [start, replicas, cut] = [next(6), next(6), next(8)];
    const of = set(replicas, {
      ...(next(3) === 0 ? {} : { ordinals: { start } }),
      ...partition(cut),
      ...(next(2) === 0 ? parallel : {}),
    });
    const first = of.spec.ordinals?.start ?? 0;
    let pods = Array.from({ length: 12 }, (_, ordinal) => pod(ordinal, {}, next(2) === 0 ? "old" : "new")).filter(
      () => next(2) === 0,
    );
    const before = new Map(pods.map(({ metadata: { name, labels } }) => [name, labels?.["controller-revision-hash"]]));
    let turns = 0;
    for (; turns < 100; turns++) {
      const actions = reconcile(
        { set: of, pods, currentRevision: "old", updateRevision: "new", claim: () => undefined },
        now,
      );
      if (actions.length === 0) break;
      for (const action of actions) {
        if (action.type === "CreatePod") pods = [...pods, pod(action.ordinal, {}, action.revision)];
        else if (action.type === "DeletePod")
          pods = pods.filter(({ metadata: { name } }) => name !== action.pod.metadata.name);
      }
    }
    const context = JSON.stringify({ round, first, replicas, cut, before: [...before] });
    expect(turns, context).toBeLessThan(100);
    const found = new Map(pods.map(({ metadata: { name, labels } }) => [name, labels?.["controller-revision-hash"]]));
    // Below the partition, a pod that is there keeps its revision, and one that is not is made of the old one.
    const want = Array.from({ length: replicas }, (_, i): [string, string] => {
      const name = `s-${first + i}`;
      return [name, i < cut ? (before.get(name) ?? "old") : "new"];
    });
    expect(found, context).toEqual(new Map(want));
  }
});
