import { type Cidr, parseCidr } from "@orchernetes/apimachinery";
import type { CloudNode } from "../../provider/cloud-provider.ts";
import { overlaps } from "./cluster-cidrs.ts";

/** Whether a route may lead to the pods of a node: not outside the cluster's ranges, and not to addresses of another node. */
export type RangeVerdict = "usable" | "outside" | "taken";

/**
 * Judges the ranges of all nodes. Of two nodes whose ranges have addresses in common the older one keeps them: a user who
 * adds a node must not be able to redirect the traffic of other nodes to it. Pure; linear in the number of ranges.
 */
export function judgeRanges(
  nodes: readonly CloudNode[],
  clusterCidrs: readonly Cidr[],
): ReadonlyMap<CloudNode, ReadonlyMap<string, RangeVerdict>> {
  const prefixes = new UsedPrefixes();
  const verdicts = new Map<CloudNode, ReadonlyMap<string, RangeVerdict>>();
  for (const node of nodes.toSorted(byAge)) {
    const own = new Map<string, RangeVerdict>();
    for (const text of node.spec?.podCIDRs ?? []) {
      if (!own.has(text)) own.set(text, judge(text, clusterCidrs, prefixes));
    }
    verdicts.set(node, own);
  }
  return verdicts;
}

function judge(text: string, clusterCidrs: readonly Cidr[], prefixes: UsedPrefixes): RangeVerdict {
  const range = parseCidr(text);
  if (range === undefined) return "outside";
  const cluster = clusterCidrs.find((one) => one.bits <= range.bits && overlaps(one, range));
  if (cluster === undefined) return "outside";
  return prefixes.take(range, cluster.bits) ? "usable" : "taken";
}

function byAge({ metadata: a }: CloudNode, { metadata: b }: CloudNode): number {
  const [first, second] = [a.creationTimestamp ?? "", b.creationTimestamp ?? ""];
  if (first !== second) return first < second ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

/** The ranges that are in use. Two ranges have addresses in common if one is a prefix of the other. */
class UsedPrefixes {
  readonly #used = new Set<string>();
  /** The prefixes of those in use. */
  readonly #above = new Set<string>();

  /**
   * Takes a range.
   *
   * @param fromBits length of the cluster's prefix: no range that was taken has a shorter one
   * @returns false if an address of it is in use
   */
  take({ address, bits }: Cidr, fromBits: number): boolean {
    const above: string[] = [];
    for (let length = fromBits; length < bits; length++) above.push(prefixText(address, length));
    const own = prefixText(address, bits);
    if (this.#above.has(own) || [...above, own].some((text) => this.#used.has(text))) return false;
    this.#used.add(own);
    for (const text of above) this.#above.add(text);
    return true;
  }
}

/** An address without its bits beyond the prefix, and the prefix's length. */
function prefixText(address: Cidr["address"], bits: number): string {
  const bytes = Array.from(address, (byte, i) => {
    const dropped = 8 - Math.min(8, Math.max(0, bits - 8 * i));
    return (byte >> dropped) << dropped;
  });
  return `${bytes.join(".")}/${bits}`;
}
