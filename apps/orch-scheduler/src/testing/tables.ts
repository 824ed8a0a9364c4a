import type { core } from "@orchernetes/api";
import type { ObjectBuilder, PodBuilder } from "@orchernetes/testkit";
import { NodeTable } from "../cache/node-table.ts";
import { podInfo } from "../cache/pod-info.ts";
import type { FilterPlugin, ScorePlugin } from "../framework/interfaces.ts";

/** A table of nodes, and the pods on them (those with a node name). */
export function tableOf(nodes: readonly ObjectBuilder<core.Node>[], pods: readonly PodBuilder[] = []): NodeTable {
  const table = new NodeTable();
  for (const node of nodes) table.setNode(node.build());
  for (const pod of pods) table.addPod(pod.build().spec.nodeName ?? "", podInfo(pod.build()));
  return table;
}

/** The result of a filter for every node: "" if it passes, else the reasons; or the rejection of the pod. */
export function verdictsOf(plugin: FilterPlugin, pod: PodBuilder, nodes: NodeTable): string[] | string {
  const filter = plugin.prepare(podInfo(pod.build()), nodes);
  if (filter !== undefined && "rejected" in filter) return filter.rejected;
  return slotsOf(nodes).map((slot) => {
    const verdict = filter?.check(slot) ?? 0;
    if (verdict === 0) return "";
    return (filter?.checkAll?.(slot) ?? [verdict]).map((v) => filter?.reasons[v - 1]?.text ?? "?").join(", ");
  });
}

/** The scores of every node in the order of the slots; undefined if the plugin has no preference. */
export function scoresOf(plugin: ScorePlugin, pod: PodBuilder, nodes: NodeTable): number[] | undefined {
  const slots = Int32Array.from(slotsOf(nodes));
  const scores = new Float64Array(slots.length);
  const score = plugin.prepare(podInfo(pod.build()), nodes);
  if (score === undefined) return undefined;
  score(slots, scores);
  return [...scores];
}

const slotsOf = (nodes: NodeTable): number[] =>
  Array.from({ length: nodes.length }, (_, slot) => slot).filter((slot) => nodes.nodeAt(slot) !== undefined);
