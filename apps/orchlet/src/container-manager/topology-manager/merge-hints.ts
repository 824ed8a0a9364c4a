import { countNodes, type NumaMask } from "../topology/numa-mask.ts";
import { anyNode, type ResourceHints, type TopologyHint } from "./hint.ts";
import type { CompareMasks } from "./numa-distances.ts";

/** A hint whose nodes are decided. */
interface MergedHint {
  readonly nodes: NumaMask;
  readonly preferred: boolean;
}

/** The hints of every resource of all providers; each has at least one. */
export function hintsByResource(providers: readonly ResourceHints[]): readonly (readonly TopologyHint[])[] {
  return providers.flatMap((hints) => {
    if (hints.size === 0) return [[anyNode]];
    return [...hints.values()].map((ofResource) => {
      if (ofResource === undefined) return [anyNode];
      return ofResource.length === 0 ? [{ nodes: undefined, preferred: false }] : ofResource;
    });
  });
}

/**
 * The best nodes for all resources together: of every combination of one hint of each resource, the nodes that all have in common are
 * looked at. A combination is preferred if each of its hints is and they name the same nodes. If no combination has a node in common,
 * the result is all nodes, not preferred. Pure; the order of KEP-693.
 *
 * @param all every node of the machine
 */
export function mergeHints(
  hints: readonly (readonly TopologyHint[])[],
  all: NumaMask,
  compare: CompareMasks,
): MergedHint {
  const enough = nodesThatAreEnough(hints);
  let best: MergedHint | undefined;
  for (const { nodes = all, preferred } of combinationsOf(hints)) {
    const merged = { nodes: nodes & all, preferred };
    if (merged.nodes !== 0n) best = best === undefined ? merged : better(best, merged, enough, compare);
  }
  return best ?? { nodes: all, preferred: false };
}

/**
 * What combinations of one hint of each resource have in common. Combinations that have the same in common count once: their number
 * would grow exponentially with that of the resources.
 */
function combinationsOf(hints: readonly (readonly TopologyHint[])[]): readonly TopologyHint[] {
  let merged = new Map<string, TopologyHint>([["", anyNode]]);
  for (const ofResource of hints) {
    const next = new Map<string, TopologyHint>();
    for (const known of merged.values())
      for (const hint of ofResource) {
        const both = common(known, hint);
        next.set(`${both.nodes} ${both.preferred}`, both);
      }
    merged = next;
  }
  return [...merged.values()];
}

/** A hint for both; as long as it is preferred, all hints until now named the same nodes. */
function common(a: TopologyHint, b: TopologyHint): TopologyHint {
  const isSame = a.nodes === undefined || b.nodes === undefined || a.nodes === b.nodes;
  const nodes = a.nodes === undefined ? b.nodes : b.nodes === undefined ? a.nodes : a.nodes & b.nodes;
  return { nodes, preferred: a.preferred && b.preferred && isSame };
}

/** The number of nodes without which some resource cannot be allocated: the largest of the smallest numbers. */
function nodesThatAreEnough(hints: readonly (readonly TopologyHint[])[]): number {
  return Math.max(
    0,
    ...hints.map((ofResource) => {
      const counts = ofResource.flatMap(({ nodes }) => (nodes === undefined ? [] : [countNodes(nodes)]));
      return counts.length === 0 ? 0 : Math.min(...counts);
    }),
  );
}

/** The better of two hints. Among those that are not preferred, it is the one closest to the number of nodes that is enough. */
function better(current: MergedHint, candidate: MergedHint, enough: number, compare: CompareMasks): MergedHint {
  if (current.preferred !== candidate.preferred) return candidate.preferred ? candidate : current;
  const compared = () => (compare(current.nodes, candidate.nodes) === current.nodes ? current : candidate);
  if (current.preferred) return compared();
  const [have, found] = [countNodes(current.nodes), countNodes(candidate.nodes)];
  if (have > enough) return compared();
  if (have === enough) return found === enough ? compared() : current;
  if (found > enough) return current;
  if (found === enough) return candidate;
  if (found === have) return compared();
  return found > have ? candidate : current;
}
