import type { rbac } from "@orchernetes/api";

type PolicyRule = rbac.PolicyRule;

/** A role that every cluster has. `aggregate` lists the label sets of the roles whose rules it gathers. */
export interface BootstrapRole {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly aggregate?: readonly Readonly<Record<string, string>>[];
  readonly rules: readonly PolicyRule[];
}

/** Rule over resources (`plural` or `plural/subresource`), optionally confined to object names. */
export function allow(
  verbs: readonly string[],
  apiGroups: readonly string[],
  resources: readonly string[],
  resourceNames?: readonly string[],
): PolicyRule {
  return { verbs, apiGroups, resources, ...(resourceNames && { resourceNames }) };
}

/** Rule over paths outside the resource API. */
export function urls(verbs: readonly string[], nonResourceURLs: readonly string[]): PolicyRule {
  return { verbs, nonResourceURLs };
}
