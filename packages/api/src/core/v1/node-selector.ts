import type { NodeSelectorRequirement, NodeSelectorTerm, Taint, Toleration } from "./types/affinity.ts";
import type { Node } from "./types/node.ts";
import type { PodSpec } from "./types/pod.ts";

const integer = /^-?\d+$/;

function compareNumber(value: string | undefined, { operator, values = [] }: NodeSelectorRequirement): boolean {
  const [limit] = values;
  if (value === undefined || limit === undefined || !integer.test(value) || !integer.test(limit)) return false;
  return operator === "Gt" ? BigInt(value) > BigInt(limit) : BigInt(value) < BigInt(limit);
}

function requirementMatches(requirement: NodeSelectorRequirement, value: string | undefined): boolean {
  switch (requirement.operator) {
    case "In":
      return value !== undefined && (requirement.values ?? []).includes(value);
    case "NotIn":
      return value === undefined || !(requirement.values ?? []).includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return compareNumber(value, requirement);
  }
}

/** Whether a node meets every requirement of a term. A term without requirements matches nothing. */
export function nodeMatchesTerm(node: Node, term: NodeSelectorTerm): boolean {
  const expressions = term.matchExpressions ?? [];
  const fields = term.matchFields ?? [];
  if (expressions.length === 0 && fields.length === 0) return false;
  const labels = node.metadata.labels ?? {};
  return (
    expressions.every((r) => requirementMatches(r, Object.hasOwn(labels, r.key) ? labels[r.key] : undefined)) &&
    fields.every((r) => r.key === "metadata.name" && requirementMatches(r, node.metadata.name))
  );
}

/** Whether a node has the labels of `spec.nodeSelector` and meets the required node affinity (any of its terms). */
export function nodeMatchesPod(node: Node, spec: PodSpec): boolean {
  const labels = node.metadata.labels ?? {};
  for (const [key, value] of Object.entries(spec.nodeSelector ?? {}))
    if (!Object.hasOwn(labels, key) || labels[key] !== value) return false;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || required.nodeSelectorTerms.some((term) => nodeMatchesTerm(node, term));
}

/** Whether a toleration covers a taint. An empty key with Exists covers every taint, an empty effect every effect. */
export function toleratesTaint(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  switch (toleration.operator || "Equal") {
    case "Exists":
      return true;
    case "Equal":
      return Boolean(toleration.key) && (toleration.value ?? "") === (taint.value ?? "");
    default:
      return false;
  }
}
