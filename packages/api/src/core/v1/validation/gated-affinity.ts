import { type FieldError, field } from "@orchernetes/apimachinery";
import { semanticEqual } from "../../../shared/immutable.ts";
import type { Affinity, NodeSelectorTerm } from "../types/affinity.ts";

const path = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution";

/**
 * Validates a change of node affinity of a pod with scheduling gates (KEP-3838). Required terms may only become
 * narrower: set if there were none, or extended by requirements within each term. The pod was admitted with the old
 * ones, so wider ones could bypass policy. Preferences may change.
 */
export function validateGatedAffinity(affinity: Affinity | undefined, old: Affinity | undefined): FieldError[] {
  const before = old?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const after = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (before === undefined) {
    return [];
  }
  if (after === undefined) {
    return [field.invalid(path, undefined, "field is immutable")];
  }
  const terms = after.nodeSelectorTerms;
  const detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
  if (terms.length !== before.nodeSelectorTerms.length) {
    return [field.invalid(`${path}.nodeSelectorTerms`, terms, detail)];
  }
  return before.nodeSelectorTerms.flatMap((term, i) => {
    const narrowed = isPrefix(term.matchExpressions, terms[i]?.matchExpressions);
    const sameFields = isPrefix(term.matchFields, terms[i]?.matchFields);
    const text = "only additions are allowed (no mutations or deletions)";
    return narrowed && sameFields ? [] : [field.invalid(`${path}.nodeSelectorTerms[${i}]`, terms[i], text)];
  });
}

function isPrefix(
  before: NodeSelectorTerm["matchExpressions"] = [],
  after: NodeSelectorTerm["matchExpressions"] = [],
): boolean {
  return before.every((requirement, i) => semanticEqual(requirement, after[i]));
}
