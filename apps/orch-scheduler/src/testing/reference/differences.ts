import { type PodInfo, podInfo } from "../../cache/pod-info.ts";
import { NodeChecker } from "../../explain/node-checker.ts";
import { CycleState } from "../../framework/cycle-state.ts";
import type { Refusal } from "../../framework/explain-refusal.ts";
import type { ScorePlugin } from "../../framework/interfaces.ts";
import { schedulePod } from "../../framework/schedule-pod.ts";
import { type RestoredState, restoreSnapshot } from "../../offline/restore-snapshot.ts";
import { randomCluster } from "../random/random-cluster.ts";
import { type ModelPreemption, modelPreemption } from "./preemption.ts";
import { modelCluster } from "./reference-cluster.ts";
import { type ModelVerdict, modelVerdict } from "./verdict.ts";

const text = (value: unknown): string => JSON.stringify(value);

/** The scores of a plugin for nodes; 0 for all if it prefers none. */
function scoresOf(plugin: ScorePlugin, info: ReturnType<typeof podInfo>, { nodes }: RestoredState, slots: Int32Array) {
  const scores = new Float64Array(slots.length);
  const score = plugin.score(info, nodes, new CycleState());
  if (score === undefined) return scores;
  score(slots, scores);
  plugin.normalizeScore?.(scores);
  return scores;
}

/** Only differences between nodes count: a plugin may give all of them the same score, or none. */
const relative = (values: readonly number[]): readonly number[] => values.map((value) => value - (values[0] ?? 0));

/**
 * The differences between the scheduler and the reference about the pending pod of the random cluster with this seed, as
 * text for people: verdicts of all filters about all nodes, scores, the message, and the chosen node; or the message of
 * preemption, the node it nominates, and the victims. Empty if there are none.
 */
export function differences(seed: number): readonly string[] {
  const snapshot = randomCluster(seed);
  const [pod] = snapshot.pending;
  if (pod === undefined) throw new Error("a random cluster has a pending pod");
  const want = modelVerdict(snapshot, pod);
  const state = restoreSnapshot(snapshot);
  const info = podInfo(pod);
  const profile = state.profiles.get("default-scheduler");
  if (profile === undefined) throw new Error("a random cluster has the default profile");
  const { nodes, nominations } = state;
  const checker = new NodeChecker(info, nodes, profile, nominations);
  const found: string[] = [];
  const compare = (what: string, ours: unknown, reference: unknown): void => {
    if (text(ours) !== text(reference))
      found.push(`${what}: found ${text(ours)}; the reference says ${text(reference)}`);
  };
  compare(
    "rejections",
    checker.rejections.map(({ plugin, message }) => [plugin, message]),
    [...want.rejections],
  );
  for (const [name, refusals] of want.refusals) {
    const verdict = checker.verdict(nodes.slotOf(name) ?? -1);
    compare(
      name,
      verdict.refusals.map(({ plugin, reasons }) => [plugin, [...reasons].sort()]),
      [...refusals].map(([plugin, reasons]) => [plugin, [...reasons].sort()]),
    );
  }
  const decision = schedulePod(info, nodes, profile, { start: state.start, random: state.random.next, nominations });
  compare("message", decision.type === "node" ? "" : decision.message, want.message);
  if (decision.type === "node")
    found.push(...scoreDifferences(want, state, info, profile.scores, nodes.nameOf(decision.slot)));
  else found.push(...preemptionDifferences(modelPreemption(pod, modelCluster(snapshot), want), state, info, decision));
  return found;
}

/** The differences about a preemption for a pod that fits no node. */
function preemptionDifferences(
  want: ModelPreemption,
  { nodes, nominations, profiles }: RestoredState,
  pod: PodInfo,
  refusal: Refusal,
): readonly string[] {
  const profile = profiles.get("default-scheduler");
  const nominatedNode = pod.pod.status.nominatedNodeName ?? "";
  const result = profile?.postFilters[0]?.postFilter({ pod, nodes, nominations, profile, refusal, nominatedNode });
  const shown =
    want.type === "none" ? `none, ${want.message}` : [...want.best].map(([node, victims]) => text([node, victims]));
  if (result?.type === "nominate") {
    const victims = text(result.victims.map((victim) => victim.pod.metadata.name));
    if (want.type === "nominate" && text(want.best.get(result.node)) === victims) return [];
    return [`preemption: found ${result.node}, ${victims}; the reference says ${shown}`];
  }
  if (want.type === "none" && result?.message === want.message) return [];
  return [`preemption: found none, ${result?.message}; the reference says ${shown}`];
}

function scoreDifferences(
  want: ModelVerdict,
  state: RestoredState,
  info: ReturnType<typeof podInfo>,
  plugins: readonly { readonly plugin: ScorePlugin; readonly weight: number }[],
  chosen: string,
): readonly string[] {
  const found: string[] = [];
  const names = [...want.totals.keys()];
  const slots = Int32Array.from(names, (name) => state.nodes.slotOf(name) ?? 0);
  for (const { plugin } of plugins) {
    const ours = relative([...scoresOf(plugin, info, state, slots)]);
    const reference = relative(names.map((name) => want.scores.get(plugin.name)?.get(name) ?? 0));
    if (text(ours) !== text(reference))
      found.push(`score ${plugin.name} of ${text(names)}: found ${text(ours)}; the reference says ${text(reference)}`);
  }
  const best = Math.max(...want.totals.values());
  if (want.totals.get(chosen) !== best)
    found.push(`chosen node: found ${chosen}; the reference's scores are ${text([...want.totals])}`);
  return found;
}
