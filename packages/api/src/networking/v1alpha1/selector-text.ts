import type { ClusterCIDRSpec } from "./types/cluster-cidr.ts";

type Term = NonNullable<ClusterCIDRSpec["nodeSelector"]>["nodeSelectorTerms"][number];
type Requirement = NonNullable<Term["matchExpressions"]>[number];

function requirementText({ key, operator, values = [] }: Requirement): string {
  switch (operator) {
    case "Exists":
      return key;
    case "DoesNotExist":
      return `!${key}`;
    case "In":
      return `${key} in (${values.join(",")})`;
    case "NotIn":
      return `${key} notin (${values.join(",")})`;
    default:
      return `${key} ${operator} ${values.join(",")}`;
  }
}

/** Which nodes a range is for, in the words of selectors; alternatives are parted by `||`. */
export function selectorText({ nodeSelector }: ClusterCIDRSpec): string {
  const terms = nodeSelector?.nodeSelectorTerms ?? [];
  if (terms.length === 0) return "<none>";
  const textOf = (term: Term): string =>
    [...(term.matchExpressions ?? []), ...(term.matchFields ?? [])].map(requirementText).join(",");
  return terms.map(textOf).join(" || ");
}
