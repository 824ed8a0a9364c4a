import type { Selector } from "@orchernetes/apimachinery";
import type { NodeTable } from "../../cache/node-table.ts";
import type { PodInfo } from "../../cache/pod-info.ts";
import { zoneOf } from "../../cache/zone.ts";
import { stateKey } from "../../framework/cycle-state.ts";
import { MAX_SCORE, type NodeScore, type PreScorePlugin, type ScorePlugin } from "../../framework/interfaces.ts";
import { spreadQuery } from "./constraints.ts";

/** The shares of zone and node in a score. */
const ZONE = 2 / 3;
const NODE = 1 - ZONE;

/** The score of a number of pods: the more pods are in the place with most of them, the better are others. */
const scoreOf = (count: number, most: number): number => (most > 0 ? MAX_SCORE * ((most - count) / most) : MAX_SCORE);

function spread(query: ReturnType<typeof spreadQuery>, nodes: NodeTable): NodeScore {
  const { counts } = nodes.countPods(query);
  const countOf = (slot: number): number => counts[slot] ?? 0;
  const zone = (slot: number): string => {
    const node = nodes.nodeAt(slot);
    return node === undefined ? "" : zoneOf(node);
  };
  return (slots, scores) => {
    const zones = Array.from(slots, zone);
    const perZone = new Map<string, number>();
    let most = 0;
    for (const [i, slot] of slots.entries()) {
      const count = countOf(slot);
      most = Math.max(most, count);
      const name = zones[i] ?? "";
      if (name !== "") perZone.set(name, (perZone.get(name) ?? 0) + count);
    }
    const mostInZone = Math.max(0, ...perZone.values());
    for (const [i, slot] of slots.entries()) {
      const ofNode = scoreOf(countOf(slot), most);
      const inZone = perZone.get(zones[i] ?? "");
      const score = inZone === undefined ? ofNode : ofNode * NODE + ZONE * scoreOf(inZone, mostInZone);
      scores[i] = Math.trunc(score);
    }
  };
}

const selected = stateKey<Selector>("PreScoreSelectorSpread");

/**
 * Score SelectorSpread, deprecated: prefers nodes and zones with fewer pods of the same services and controller. Pods with topology
 * spread constraints are left to PodTopologySpread.
 *
 * @param selectorOf selector of the pods of a pod's services and controller; undefined if there are none
 */
export function selectorSpread(selectorOf: (pod: PodInfo) => Selector | undefined): PreScorePlugin & ScorePlugin {
  const selectorFor = (pod: PodInfo): Selector | undefined =>
    pod.pod.spec.topologySpreadConstraints?.length ? undefined : selectorOf(pod);
  return {
    name: "SelectorSpread",
    preScore(pod, _, state) {
      const selector = selectorFor(pod);
      if (selector === undefined) return "skip";
      state.set(selected, selector);
      return undefined;
    },
    score(pod, nodes, state) {
      const selector = state.get(selected) ?? selectorFor(pod);
      return selector && spread(spreadQuery(pod.namespace, selector), nodes);
    },
  };
}
