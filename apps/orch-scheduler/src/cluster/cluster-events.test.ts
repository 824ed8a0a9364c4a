import { type NodeBuilder, node, type PodBuilder, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { ClusterEvent } from "../framework/interfaces.ts";
import { changesQuietly, nodeChange, nodeChangeLabel, placedPodChange, podChangeMayHelp } from "./cluster-events.ts";

const { NodeAllocatable, NodeLabels, NodeTaints, PodAdded, PodDeleted } = ClusterEvent;

test.each<[string, NodeBuilder, number]>([
  ["nothing", node("a"), 0],
  ["a heartbeat", node("a").ready("True", "2025-01-01T00:00:00Z"), 0],
  ["more room", node("a").capacity({ cpu: "8" }), NodeAllocatable],
  ["a label", node("a").labels({ x: "y" }), NodeLabels],
  ["a taint", node("a").taint("k", "NoSchedule"), NodeTaints],
  ["a cordon, as upstream", node("a").unschedulable(), 0],
  ["an explicit false", node("a").spec({ unschedulable: false }), 0],
  ["several things", node("a").labels({ x: "y" }).taint("k", "NoSchedule"), NodeLabels | NodeTaints],
])("a node's change: %s", (_, changed, want) => {
  expect(nodeChange(node("a").build(), changed.build())).toBe(want);
});

test("a node that is uncordoned may help", () => {
  const [cordoned, free] = [node("a").unschedulable().build(), node("a").build()];
  expect([nodeChange(cordoned, free), changesQuietly(cordoned, free), changesQuietly(free, cordoned)]).toEqual([
    NodeTaints,
    true,
    true,
  ]);
  expect(changesQuietly(free, free)).toBe(false);
});

test.each<[string, PodBuilder, boolean]>([
  ["a condition", pod("p").status({ conditions: [{ type: "PodScheduled", status: "False" }] }), false],
  ["a toleration", pod("p").toleration({ operator: "Exists" }), true],
  ["a label", pod("p").labels({ x: "y" }), true],
  ["its deletion begins", pod("p").deletedAt(), true],
])("a waiting pod's change may help: %s", (_, changed, want) => {
  expect(podChangeMayHelp(pod("p").build(), changed.build())).toBe(want);
});

test.each<[string, PodBuilder, number | undefined]>([
  ["its phase", pod("p").on("a").phase("Running"), undefined],
  ["a label", pod("p").on("a").labels({ x: "y" }), PodAdded | PodDeleted],
  ["its deletion begins", pod("p").on("a").deletedAt(), PodDeleted],
  ["its start", pod("p").on("a").status({ startTime: "2024-01-01T00:00:00Z" }), 0],
  ["its requests", pod("p").on("a").requests({ cpu: "1" }), PodDeleted],
])("a placed pod's change: %s", (_, changed, want) => {
  expect(placedPodChange(pod("p").on("a").build(), changed.build())).toBe(want);
});

test("preempting a pod that is already terminating affects only preemption", () => {
  const old = pod("p").on("a").deletedAt();
  const conditions = [{ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" } as const];
  expect(placedPodChange(old.build(), old.status({ conditions }).build())).toBe(0);
});

test.each<[string, NodeBuilder, NodeBuilder?]>([
  ["NodeSpecUnschedulableChange", node("a").labels({ x: "y" }), node("a").unschedulable()],
  ["NodeAllocatableChange", node("a").capacity({ cpu: "8" }).labels({ x: "y" })],
  ["NodeLabelChange", node("a").labels({ x: "y" }).taint("k", "NoSchedule")],
  ["NodeTaintChange", node("a").unschedulable().taint("k", "NoSchedule")],
])("metrics name a node's change %s", (want, changed, before = node("a")) => {
  const [old, now] = [before.build(), changed.build()];
  expect(nodeChangeLabel(nodeChange(old, now), old, now)).toBe(want);
});
