import type { core } from "@orchernetes/api";
import type { ObjectBuilder, PodBuilder } from "@orchernetes/testkit";
import { NodeTable } from "../cache/node-table.ts";
import { podInfo } from "../cache/pod-info.ts";
import { CycleState } from "../framework/cycle-state.ts";
import type { FilterPlugin, PreFilterPlugin, PreScorePlugin, ScorePlugin } from "../framework/interfaces.ts";

/** A table of nodes, and the pods on them (those with a node name). */
export function tableOf(nodes: readonly ObjectBuilder<core.Node>[], pods: readonly PodBuilder[] = []): NodeTable {
  const table = new NodeTable();
  for (const node of nodes) table.setNode(node.build());
  for (const pod of pods) table.addPod(pod.build().spec.nodeName ?? "", podInfo(pod.build()));
  return table;
}

/** The result of a filter for every node: "" if it passes, else the reasons; or the rejection of the pod. */
export function verdictsOf(
  plugin: FilterPlugin & Partial<PreFilterPlugin>,
  pod: PodBuilder,
  nodes: NodeTable,
): string[] | string {
  const info = podInfo(pod.build());
  const state = new CycleState();
  const before = plugin.preFilter?.(info, nodes, state);
  if (typeof before === "object" && "rejected" in before) return before.rejected;
  const filter = before === "skip" ? undefined : plugin.filter(info, nodes, state);
  // The filter must come to the same result where PreFilter is disabled.
  if ((plugin.filter(info, nodes, new CycleState()) === undefined) !== (filter === undefined))
    throw new Error(`without PreFilter, ${plugin.name} filters other nodes`);
  if (filter !== undefined && "rejected" in filter) return filter.rejected;
  return slotsOf(nodes).map((slot) => {
    const verdict = filter?.check(slot) ?? 0;
    if (verdict === 0) return "";
    return (filter?.checkAll?.(slot) ?? [verdict]).map((v) => filter?.reasons[v - 1]?.text ?? "?").join(", ");
  });
}

/** The normalized scores of every node in the order of the slots; undefined if the plugin has no preference. */
export function scoresOf(
  plugin: ScorePlugin & Partial<PreScorePlugin>,
  pod: PodBuilder,
  nodes: NodeTable,
): number[] | undefined {
  const info = podInfo(pod.build());
  const state = new CycleState();
  if (plugin.preScore?.(info, nodes, state) === "skip") return undefined;
  const slots = Int32Array.from(slotsOf(nodes));
  const scores = new Float64Array(slots.length);
  const score = plugin.score(info, nodes, state);
  if (score === undefined) return undefined;
  score(slots, scores);
  plugin.normalizeScore?.(scores);
  return [...scores];
}

const slotsOf = (nodes: NodeTable): number[] =>
  Array.from({ length: nodes.length }, (_, slot) => slot).filter((slot) => nodes.nodeAt(slot) !== undefined);
