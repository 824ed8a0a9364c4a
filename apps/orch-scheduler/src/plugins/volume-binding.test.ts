import type { core, storage } from "@orchernetes/api";
import { node, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { tableOf, verdictsOf } from "../testing/tables.ts";
import { volumeBinding } from "./volume-binding.ts";

const claim = (name: string, spec: Partial<core.PersistentVolumeClaimSpec>, more: object = {}) =>
  ({
    metadata: { name, namespace: "default" },
    spec,
    status: { phase: "Bound" },
    ...more,
  }) as core.PersistentVolumeClaim;
const only = (zone: string): core.VolumeNodeAffinity => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: [zone] }] }] },
});
const claims = [
  claim("in-1", { volumeName: "v1" }),
  claim("in-2", { volumeName: "v2" }),
  claim("anywhere", { volumeName: "v0" }),
  claim("dangling", { volumeName: "gone" }),
  claim("lost", { volumeName: "v1" }, { status: { phase: "Lost" } }),
  claim("leaving", { volumeName: "v1" }, { metadata: { name: "leaving", deletionTimestamp: "2024-01-01T00:00:00Z" } }),
  claim("unbound", {}),
  claim("late", { storageClassName: "wait" }),
  claim("p-scratch", { volumeName: "v2" }),
];
const volumes = [
  { metadata: { name: "v0" }, spec: {} },
  { metadata: { name: "v1" }, spec: { nodeAffinity: only("1") } },
  { metadata: { name: "v2" }, spec: { nodeAffinity: only("2") } },
] as core.PersistentVolume[];
const plugin = volumeBinding({
  claim: (_, name) => claims.find(({ metadata }) => metadata.name === name),
  volume: (name) => volumes.find(({ metadata }) => metadata.name === name),
  storageClass: (name) =>
    name === "wait" ? ({ volumeBindingMode: "WaitForFirstConsumer" } as storage.StorageClass) : undefined,
});
const nodes = tableOf([node("a").labels({ zone: "1" }), node("b").labels({ zone: "2" })]);
const using = (...names: string[]) =>
  pod("p").spec({ volumes: names.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) });
const conflict = "node(s) had volume node affinity conflict";
const unavailable = "node(s) didn't find available persistent volumes to bind";

test.each<[string, ReturnType<typeof pod>, string | string[]]>([
  ["no volumes", pod("p"), ["", ""]],
  ["a volume without claim", pod("p").spec({ volumes: [{ name: "e", emptyDir: {} }] }), ["", ""]],
  ["a volume of one zone", using("in-1"), ["", conflict]],
  ["volumes of two zones", using("in-1", "in-2"), [conflict, conflict]],
  ["a volume that is everywhere", using("anywhere"), ["", ""]],
  ["an ephemeral volume's claim", pod("p").spec({ volumes: [{ name: "scratch", ephemeral: {} }] }), [conflict, ""]],
  ["no such claim", using("nope"), 'persistentvolumeclaim "nope" not found'],
  ["a claim on its way out", using("leaving"), 'persistentvolumeclaim "leaving" is being deleted'],
  ["no such volume", using("dangling"), 'persistentvolume "gone" not found'],
  ["a volume that was lost", using("lost"), 'persistentvolumeclaim "lost" bound to non-existent persistentvolume "v1"'],
  ["not bound yet", using("unbound"), "pod has unbound immediate PersistentVolumeClaims"],
  ["waiting for its first consumer", using("late"), [unavailable, unavailable]],
])("%s", (_, wanting, want) => {
  expect(verdictsOf(plugin, wanting, nodes)).toEqual(want);
});
