import type { core } from "@orchernetes/api";

type Labels = Readonly<Record<string, string>>;
type Requirement = core.NodeSelectorRequirement;

const integer = /^-?\d+$/;

function compareNumber(value: string | undefined, requirement: Requirement): boolean {
  const [limit] = requirement.values ?? [];
  if (value === undefined || limit === undefined || !integer.test(value) || !integer.test(limit)) return false;
  return requirement.operator === "Gt" ? BigInt(value) > BigInt(limit) : BigInt(value) < BigInt(limit);
}

function requirementMatches(requirement: Requirement, value: string | undefined): boolean {
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
export function termMatches(term: core.NodeSelectorTerm, node: core.Node): boolean {
  const expressions = term.matchExpressions ?? [];
  const fields = term.matchFields ?? [];
  if (expressions.length === 0 && fields.length === 0) return false;
  const labels: Labels = node.metadata.labels ?? {};
  return (
    expressions.every((r) => requirementMatches(r, Object.hasOwn(labels, r.key) ? labels[r.key] : undefined)) &&
    fields.every((r) => r.key === "metadata.name" && requirementMatches(r, node.metadata.name))
  );
}

/** Whether a node has the labels of `spec.nodeSelector` and meets the required node affinity (any of its terms). */
export function matchesNodeSelector(spec: core.PodSpec, node: core.Node): boolean {
  const labels: Labels = node.metadata.labels ?? {};
  for (const [key, value] of Object.entries(spec.nodeSelector ?? {}))
    if (!Object.hasOwn(labels, key) || labels[key] !== value) return false;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || required.nodeSelectorTerms.some((term) => termMatches(term, node));
}
