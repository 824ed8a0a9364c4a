import type { OrchletConfiguration } from "@orchernetes/config";
import { assertNever } from "@orchernetes/kernel";
import { countNodes, type NumaMask } from "../topology/numa-mask.ts";
import { anyNode, type ResourceHints, type TopologyHint } from "./hint.ts";
import { hintsByResource, mergeHints } from "./merge-hints.ts";
import type { CompareMasks } from "./numa-distances.ts";

/** How strictly resources are aligned. */
export type TopologyPolicy = OrchletConfiguration["topologyManagerPolicy"];

/** The nodes on which resources are allocated, and whether the pod is admitted. */
export interface TopologyDecision {
  readonly hint: TopologyHint;
  readonly admit: boolean;
}

/** Decides by a policy on which nodes resources with these hints are allocated. Pure. */
export function decideTopology(
  policy: TopologyPolicy,
  providers: readonly ResourceHints[],
  all: NumaMask,
  compare: CompareMasks,
): TopologyDecision {
  if (policy === "none") return { hint: anyNode, admit: true };
  const hints = hintsByResource(providers);
  switch (policy) {
    case "best-effort":
      return { hint: mergeHints(hints, all, compare), admit: true };
    case "restricted": {
      const hint = mergeHints(hints, all, compare);
      return { hint, admit: hint.preferred };
    }
    case "single-numa-node": {
      const single = hints.map((ofResource) =>
        ofResource.filter(({ nodes, preferred }) => preferred && (nodes === undefined || countNodes(nodes) === 1)),
      );
      const { nodes, preferred } = mergeHints(single, all, compare);
      return { hint: { nodes: nodes === all ? undefined : nodes, preferred }, admit: preferred };
    }
    default:
      return assertNever(policy);
  }
}
