import type { core } from "@orchernetes/api";
import type { ClusterCIDR } from "@orchernetes/api/networking/v1alpha1";
import type { Stored } from "@orchernetes/apimachinery";
import { compileNodeSelector, type NodePredicate } from "@orchernetes/component-helpers";
import { CidrSet, type CidrSetMetrics, splitProblem } from "../ranges/cidr-set.ts";
import { parseNetwork, widthOf } from "../ranges/network.ts";
import type { Pool } from "../ranges/node-ranges.ts";

/** The ranges of a ClusterCIDR object, and the nodes that they are for. */
export interface ClusterCidrPool extends Pool {
  /** Terms of the selector of nodes, each with the number of its requirements. None: the pool is for all nodes. */
  readonly terms: readonly { readonly matches: NodePredicate; readonly count: number }[];
  /** The selector as text, to have an order. */
  readonly selector: string;
  /** Not if the object is being deleted or was changed. */
  isOpen: boolean;
}

/** The pool of an object. @throws RangeError if its ranges cannot be split as it says */
export function poolOf({ metadata, spec }: Stored<ClusterCIDR>, metrics: CidrSetMetrics): ClusterCidrPool {
  const sets = [spec.ipv4, spec.ipv6].flatMap((text) => {
    const network = text ? parseNetwork(text) : undefined;
    if (network === undefined) return [];
    const nodeBits = widthOf(network.family) - spec.perNodeHostBits;
    const problem = splitProblem(network, nodeBits);
    if (problem !== undefined) {
      throw new RangeError(`range ${network.text} cannot be split into ranges with prefix /${nodeBits}: ${problem}`);
    }
    return new CidrSet(network, nodeBits, metrics);
  });
  if (sets.length === 0) throw new RangeError("no range; want one in ipv4, ipv6, or both");
  const terms = (spec.nodeSelector?.nodeSelectorTerms ?? []).map((term) => ({
    matches: compileNodeSelector({ nodeSelectorTerms: [term] }),
    count: (term.matchExpressions ?? []).length + (term.matchFields ?? []).length,
  }));
  return {
    name: metadata.name,
    sets,
    terms,
    selector: terms.length === 0 ? "" : JSON.stringify(spec.nodeSelector),
    // The spec is immutable, so a second generation is from a time when it was not.
    isOpen: metadata.deletionTimestamp === undefined && (metadata.generation ?? 1) <= 1,
  };
}

/** A pool that is for a node, and what decides between several. */
interface Candidate {
  readonly pool: ClusterCidrPool;
  /** Number of requirements of the node's labels; 0 for a pool for all nodes. */
  readonly count: number;
  readonly capacity: number;
  readonly nodeBits: number;
  readonly range: string;
}

/**
 * The pools for a node, the preferred one first (KEP-2593): by the number of requirements that its labels meet; then the one with
 * the fewest ranges; then the one with the smallest ranges; then by the texts of the selectors, and of the ranges.
 */
export function poolsFor(node: Stored<core.Node>, pools: Iterable<ClusterCidrPool>): readonly ClusterCidrPool[] {
  const found: Candidate[] = [];
  for (const pool of pools) {
    const counts = pool.terms.filter(({ matches }) => matches(node)).map(({ count }) => count);
    if (pool.terms.length > 0 && counts.length === 0) continue;
    const [first] = pool.sets;
    found.push({
      pool,
      count: Math.max(0, ...counts),
      capacity: Math.min(...pool.sets.map(({ capacity }) => capacity)),
      nodeBits: first?.nodeBits ?? 0,
      range: first?.range.text ?? "",
    });
  }
  return found.toSorted(compare).map(({ pool }) => pool);
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function compare(a: Candidate, b: Candidate): number {
  return (
    b.count - a.count ||
    a.capacity - b.capacity ||
    b.nodeBits - a.nodeBits ||
    byText(a.pool.selector, b.pool.selector) ||
    byText(a.range, b.range)
  );
}
