import type { apps } from "@orchernetes/api";
import { expect, test } from "vitest";
import { meta, type PodSketch, pod as podOf, template } from "../../testing/builders.ts";
import { claimsOf, type Pod, type StatefulSet, statefulPod } from "./identity.ts";
import { reconcile } from "./reconcile.ts";
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
  podOf(`s-${ordinal}`, { ready: true, labels: { app: "x", "controller-revision-hash": revision }, ...more });

function decide(of: StatefulSet, pods: readonly Pod[]): string {
  return reconcile({ set: of, pods, currentRevision: "old", updateRevision: "new" }, now)
    .map((action) =>
      action.type === "CreatePod"
        ? `+${action.ordinal} ${action.revision}`
        : `-${action.pod.metadata.name} ${action.reason}`,
    )
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
  ["on delete", set(1, { updateStrategy: { type: "OnDelete" } }), [pod(0, {}, "old")], ""],
])("%s", (_, of, pods, want) => expect(decide(of, pods)).toBe(want));

test("status", () => {
  const state = { set: set(3), currentRevision: "old", updateRevision: "new" };
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
