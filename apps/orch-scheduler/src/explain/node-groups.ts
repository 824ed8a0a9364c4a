import type { NodeGroup, NodesExplanation, NodeVerdict } from "./explanation.ts";

/** In a cluster of at most this many nodes, each of them is listed. */
const MAX_LISTED = 100;
/** Number of nodes that are listed of each group in a larger cluster. */
const FEW = 3;
/** Largest number of groups in an explanation. */
const MAX_GROUPS = 40;
/** Number of the nodes that come closest. */
const NEAREST = 3;

/** How far a node is from fitting: first the number of obstacles that are not amounts, then the missing shares of amounts. */
interface Distance {
  readonly obstacles: number;
  readonly shares: number;
}

function distanceOf({ refusals }: NodeVerdict): Distance {
  let obstacles = 0;
  let shares = 0;
  for (const { shortfalls } of refusals) {
    if (shortfalls.length === 0) obstacles++;
    for (const { share } of shortfalls)
      if (share === undefined) obstacles++;
      else shares += share;
  }
  return { obstacles, shares };
}

interface Ranked {
  readonly verdict: NodeVerdict;
  readonly distance: Distance;
}

/** The closest nodes that were added, up to a number. */
class Closest {
  readonly #most: number;
  readonly #ranked: Ranked[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  add(one: Ranked): void {
    const list = this.#ranked;
    let at = list.length;
    while (at > 0 && isCloser(one.distance, list[at - 1]?.distance ?? one.distance)) at--;
    if (at >= this.#most) return;
    list.splice(at, 0, one);
    if (list.length > this.#most) list.pop();
  }

  get verdicts(): readonly NodeVerdict[] {
    return this.#ranked.map(({ verdict }) => verdict);
  }
}

const isCloser = (a: Distance, b: Distance): boolean =>
  a.obstacles < b.obstacles || (a.obstacles === b.obstacles && a.shares < b.shares);

interface Group {
  count: number;
  readonly refusals: NodeGroup["refusals"];
  readonly closest: Closest;
}

/** Groups the verdicts about nodes, so that the list stays short for thousands of nodes. */
export class NodeGroups {
  readonly #plugins: readonly string[];
  readonly #perGroup: number;
  readonly #groups = new Map<string, Group>();
  readonly #nearest = new Closest(NEAREST);
  #total = 0;
  #feasible = 0;

  /**
   * @param plugins the names of all filter plugins
   * @param nodes the number of nodes to expect, which decides how many are listed
   */
  constructor(plugins: readonly string[], nodes: number) {
    this.#plugins = plugins;
    this.#perGroup = nodes <= MAX_LISTED ? MAX_LISTED : FEW;
  }

  add(verdict: NodeVerdict): void {
    const one = { verdict, distance: distanceOf(verdict) };
    this.#total++;
    if (verdict.refusals.length === 0) this.#feasible++;
    else this.#nearest.add(one);
    const key = JSON.stringify(verdict.refusals.map(({ plugin, reasons }) => [plugin, reasons]));
    let group = this.#groups.get(key);
    if (group === undefined) {
      const refusals = verdict.refusals.map(({ plugin, reasons, evictionHelps }) => ({
        plugin,
        reasons,
        evictionHelps,
      }));
      group = { count: 0, refusals, closest: new Closest(this.#perGroup) };
      this.#groups.set(key, group);
    }
    group.count++;
    group.closest.add(one);
  }

  result(): NodesExplanation {
    const groups = [...this.#groups.values()].sort((a, b) => b.count - a.count);
    const omitted = groups.slice(MAX_GROUPS);
    return {
      total: this.#total,
      feasible: this.#feasible,
      groups: groups.slice(0, MAX_GROUPS).map(({ count, refusals, closest }) => ({
        count,
        refusals,
        passed: this.#plugins.filter((name) => !refusals.some(({ plugin }) => plugin === name)),
        nodes: closest.verdicts,
      })),
      omitted: { groups: omitted.length, nodes: omitted.reduce((sum, { count }) => sum + count, 0) },
      nearest: this.#nearest.verdicts,
    };
  }
}
