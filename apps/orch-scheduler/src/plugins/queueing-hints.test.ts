import type { core } from "@orchernetes/api";
import { node, pod, volume } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { podInfo } from "../cache/pod-info.ts";
import { type ClusterChange, podLeft } from "../framework/cluster-change.ts";
import { ClusterEvent } from "../framework/interfaces.ts";
import { profileOf } from "../testing/profiles.ts";
import { boundClaim } from "../testing/volumes.ts";

const { NodeAdded, NodeAllocatable, NodeLabels, NodeTaints, PodAdded, PodDeleted, Claim, PersistentVolume } =
  ClusterEvent;

interface Builds<T> {
  build(): T;
}
const nodeAdded = (now: Builds<core.Node>): ClusterChange => ({
  resource: "Node",
  events: NodeAdded,
  label: "",
  now: now.build(),
});
const nodeChanged = (events: number, old: Builds<core.Node>, now: Builds<core.Node>): ClusterChange => ({
  resource: "Node",
  events,
  label: "",
  old: old.build(),
  now: now.build(),
});
const podAdded = (now: Builds<core.Pod>): ClusterChange => ({
  resource: "Pod",
  events: PodAdded,
  label: "",
  now: now.build(),
});
const podChanged = (old: Builds<core.Pod>, now: Builds<core.Pod>): ClusterChange => ({
  resource: "Pod",
  events: PodAdded | PodDeleted,
  label: "",
  old: old.build(),
  now: now.build(),
});
const left = (builder: Builds<core.Pod>): ClusterChange => podLeft(builder.build());
const claimOf = (name: string, namespace = "default"): ClusterChange => {
  const claim = boundClaim(name, "v");
  const now = { ...claim, metadata: { ...claim.metadata, namespace } };
  return { resource: "PersistentVolumeClaim", events: Claim, label: "", now };
};
const volumeOf = (claimName: string | undefined): ClusterChange => {
  const built = volume("v");
  const claimRef = claimName === undefined ? undefined : { namespace: "default", name: claimName };
  const now = { ...built, spec: { ...built.spec, claimRef } } as core.PersistentVolume;
  return { resource: "PersistentVolume", events: PersistentVolume, label: "", now };
};

const waiting = pod("p");
const small = node("n").capacity({ cpu: "1", pods: "10" });
const large = node("n").capacity({ cpu: "4", pods: "10" });
const needsTwo = waiting.requests({ cpu: "2" });
const other = pod("q").on("n");
const term = (app: string) => ({ topologyKey: "zone", labelSelector: { matchLabels: { app } } });
const near = waiting.spec({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term("a")] } },
});
const apart = (app: string) => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(app)] } },
});
const spread = waiting.spec({
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: "zone",
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: { matchLabels: { app: "a" } },
    },
  ],
});
const using = (name: string, claimName: string) =>
  pod(name).spec({ volumes: [{ name: "d", persistentVolumeClaim: { claimName } }] });
const disk = { name: "d", gcePersistentDisk: { pdName: "x" } };
const a = { app: "a" };

test.each<[string, Builds<Parameters<typeof podInfo>[0]>, string, ClusterChange, "queue" | "skip"]>([
  ["NodeResourcesFit", needsTwo, "a node that is large enough is added", nodeAdded(large), "queue"],
  ["NodeResourcesFit", needsTwo, "a node that is too small is added", nodeAdded(small), "skip"],
  ["NodeResourcesFit", needsTwo, "a node has grown", nodeChanged(NodeAllocatable, small, large), "queue"],
  ["NodeResourcesFit", needsTwo, "a node has shrunk", nodeChanged(NodeAllocatable, large, small), "skip"],
  [
    "NodeResourcesFit",
    needsTwo,
    "a node has more of what the pod does not need",
    nodeChanged(NodeAllocatable, large, node("n").capacity({ cpu: "4", pods: "10", "example.com/x": "1" })),
    "skip",
  ],
  [
    "NodeResourcesFit",
    needsTwo,
    "a node may have more pods",
    nodeChanged(NodeAllocatable, large, node("n").capacity({ cpu: "4", pods: "11" })),
    "queue",
  ],
  ["NodeResourcesFit", needsTwo, "a pod left", left(other), "queue"],
  [
    "NodeResourcesFit",
    needsTwo,
    "a pod requests less",
    podChanged(other.requests({ cpu: "2" }), other.requests({ cpu: "1" })),
    "queue",
  ],
  [
    "NodeResourcesFit",
    needsTwo,
    "a pod requests less of something else",
    podChanged(other.requests({ memory: "2" }), other.requests({ memory: "1" })),
    "skip",
  ],
  ["NodeResourcesFit", needsTwo, "a pod is being deleted", podChanged(other, other.deletedAt()), "skip"],
  [
    "NodeUnschedulable",
    waiting,
    "a node is uncordoned",
    nodeChanged(NodeTaints, node("n").unschedulable(), node("n")),
    "queue",
  ],
  [
    "NodeUnschedulable",
    waiting,
    "a node is cordoned",
    nodeChanged(NodeTaints, node("n"), node("n").unschedulable()),
    "skip",
  ],
  ["NodeUnschedulable", waiting, "a cordoned node is added", nodeAdded(node("n").unschedulable()), "skip"],
  [
    "NodeUnschedulable",
    waiting.toleration({ operator: "Exists" }),
    "a cordoned node is added, and it is tolerated",
    nodeAdded(node("n").unschedulable()),
    "queue",
  ],
  [
    "TaintToleration",
    waiting,
    "a taint is removed",
    nodeChanged(NodeTaints, node("n").taint("k", "NoSchedule"), node("n")),
    "queue",
  ],
  [
    "TaintToleration",
    waiting,
    "one of two taints is removed",
    nodeChanged(
      NodeTaints,
      node("n").taint("k", "NoSchedule").taint("l", "NoExecute"),
      node("n").taint("l", "NoExecute"),
    ),
    "skip",
  ],
  [
    "TaintToleration",
    waiting,
    "a taint that repels nobody",
    nodeAdded(node("n").taint("k", "PreferNoSchedule")),
    "queue",
  ],
  [
    "NodeAffinity",
    waiting.nodeSelector({ x: "y" }),
    "a node gets the label",
    nodeChanged(NodeLabels, node("n"), node("n").labels({ x: "y" })),
    "queue",
  ],
  [
    "NodeAffinity",
    waiting.nodeSelector({ x: "y" }),
    "a node gets another label",
    nodeChanged(NodeLabels, node("n"), node("n").labels({ x: "z" })),
    "skip",
  ],
  [
    "NodeAffinity",
    waiting.nodeSelector({ x: "y" }),
    "a node that matched gets another label",
    nodeChanged(NodeLabels, node("n").labels({ x: "y" }), node("n").labels({ x: "y", z: "" })),
    "skip",
  ],
  ["NodePorts", waiting.hostPorts(80), "a pod with the port left", left(other.hostPorts(80)), "queue"],
  ["NodePorts", waiting.hostPorts(80), "a pod with another port left", left(other.hostPorts(81)), "skip"],
  [
    "NodePorts",
    waiting.hostPorts(80),
    "a pod with the port changes",
    podChanged(other.hostPorts(80), other.hostPorts(80).labels(a)),
    "skip",
  ],
  ["NodePorts", waiting.hostPorts(80), "a node is added", nodeAdded(node("n")), "queue"],
  ["InterPodAffinity", near, "a pod that it wants is placed", podAdded(other.labels(a)), "queue"],
  ["InterPodAffinity", near, "another pod is placed", podAdded(other), "skip"],
  ["InterPodAffinity", near, "a pod gets the label", podChanged(other, other.labels(a)), "queue"],
  [
    "InterPodAffinity",
    near,
    "a pod of another namespace is placed",
    podAdded(other.labels(a).namespace("far")),
    "skip",
  ],
  ["InterPodAffinity", near, "a pod that it wants left: it may be the first", left(other.labels(a)), "queue"],
  ["InterPodAffinity", near, "a node without the topology key is added", nodeAdded(node("n")), "skip"],
  [
    "InterPodAffinity",
    near,
    "a node with the topology key is added",
    nodeAdded(node("n").labels({ zone: "1" })),
    "queue",
  ],
  [
    "InterPodAffinity",
    near,
    "a node leaves its domain",
    nodeChanged(NodeLabels, node("n").labels({ zone: "1" }), node("n")),
    "queue",
  ],
  ["InterPodAffinity", waiting.spec(apart("a")), "a pod that it avoids left", left(other.labels(a)), "queue"],
  ["InterPodAffinity", waiting.spec(apart("a")), "another pod left", left(other), "skip"],
  ["InterPodAffinity", waiting.spec(apart("a")), "a pod that it avoids is placed", podAdded(other.labels(a)), "skip"],
  ["InterPodAffinity", waiting.spec(apart("a")), "a pod loses the label", podChanged(other.labels(a), other), "queue"],
  ["InterPodAffinity", waiting.labels(a), "a pod that avoids it left", left(other.spec(apart("a"))), "queue"],
  ["InterPodAffinity", waiting.labels(a), "a pod that avoids others left", left(other.spec(apart("b"))), "skip"],
  ["PodTopologySpread", spread, "a pod that counts is placed", podAdded(other.labels(a)), "queue"],
  ["PodTopologySpread", spread, "a pod that does not count is placed", podAdded(other), "skip"],
  ["PodTopologySpread", spread, "a pod of another namespace left", left(other.labels(a).namespace("far")), "skip"],
  [
    "PodTopologySpread",
    spread,
    "a pod that counts is being deleted",
    podChanged(other.labels(a), other.labels(a).deletedAt()),
    "queue",
  ],
  [
    "PodTopologySpread",
    spread,
    "a pod that counts changes otherwise",
    podChanged(other.labels(a), other.labels({ ...a, b: "" })),
    "skip",
  ],
  ["PodTopologySpread", spread, "a node without the key is added", nodeAdded(node("n")), "skip"],
  ["PodTopologySpread", spread, "a node with the key is added", nodeAdded(node("n").labels({ zone: "1" })), "queue"],
  [
    "PodTopologySpread",
    spread,
    "a node's taints change",
    nodeChanged(NodeTaints, node("n").labels({ zone: "1" }), node("n").labels({ zone: "1" }).taint("k", "NoSchedule")),
    "skip",
  ],
  ["VolumeBinding", using("p", "c"), "its claim changes", claimOf("c"), "queue"],
  ["VolumeBinding", using("p", "c"), "another claim changes", claimOf("d"), "skip"],
  ["VolumeBinding", using("p", "c"), "a claim of that name changes elsewhere", claimOf("c", "far"), "skip"],
  ["VolumeBinding", using("p", "c"), "its volume changes", volumeOf("c"), "queue"],
  ["VolumeBinding", using("p", "c"), "a free volume appears", volumeOf(undefined), "queue"],
  ["VolumeZone", using("p", "c"), "the volume of another claim changes", volumeOf("d"), "skip"],
  ["VolumeRestrictions", using("p", "c"), "a pod with the claim left", left(using("q", "c").on("n")), "queue"],
  ["VolumeRestrictions", using("p", "c"), "a pod with another claim left", left(using("q", "d").on("n")), "skip"],
  [
    "VolumeRestrictions",
    waiting.spec({ volumes: [disk] }),
    "a pod with a disk left",
    left(other.spec({ volumes: [disk] })),
    "queue",
  ],
  ["NodeVolumeLimits", using("p", "c"), "a pod with volumes left", left(using("q", "d").on("n")), "queue"],
  ["NodeVolumeLimits", using("p", "c"), "a pod without volumes left", left(other), "skip"],
  ["GCEPDLimits", waiting.spec({ volumes: [disk] }), "a node is added", nodeAdded(node("n")), "queue"],
])("$0: $2", (name, builder, _, change, want) => {
  const plugin = profileOf().filters.find((one) => one.name === name);
  // A plugin is asked only about the events that it names.
  expect((plugin?.events ?? 0) & change.events).not.toBe(0);
  expect(plugin?.hint?.(podInfo(builder.build()), change) ?? "queue").toBe(want);
});
