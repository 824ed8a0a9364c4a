import type { core } from "@orchernetes/api";
import { compileNodeSelector, type NodePredicate } from "../scheduling/node-affinity.ts";
import type { Volume } from "./volumes-and-claims.ts";

/** The nodes from which a volume is accessible; undefined if it is accessible from every node. */
export function compileVolumeAffinity({ spec }: Volume): NodePredicate | undefined {
  const required = spec.nodeAffinity?.required;
  return required === undefined ? undefined : compileNodeSelector(required);
}

/**
 * Whether labels are in the topology that a storage class allows: those of at least one term, all of whose expressions
 * they meet. No terms allow everything; a term without expressions allows nothing.
 */
export function isInTopology(
  terms: readonly core.TopologySelectorTerm[] | undefined,
  labels: Readonly<Record<string, string>> = {},
): boolean {
  if (terms === undefined || terms.length === 0) return true;
  return terms.some(({ matchLabelExpressions = [] }) => {
    if (matchLabelExpressions.length === 0) return false;
    return matchLabelExpressions.every(({ key, values }) => {
      const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
      return value !== undefined && values.includes(value);
    });
  });
}
