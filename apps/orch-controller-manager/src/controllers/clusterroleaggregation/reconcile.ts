import type { rbac } from "@orchernetes/api";
import { labelSelectorAsSelector, type Stored } from "@orchernetes/apimachinery";
import { semanticEqual } from "../../shared/semantic-equal.ts";

/** A ClusterRole as the API server returns it. */
export type ClusterRole = Stored<rbac.ClusterRole>;

/**
 * The rules of all roles that the aggregating role selects, without duplicates. They are sorted by role name within
 * each selector, so that the result does not change with the order of the cache.
 *
 * @returns undefined if the role already has these rules
 */
export function aggregatedRules(role: ClusterRole, all: readonly ClusterRole[]): rbac.PolicyRule[] | undefined {
  const rules: rbac.PolicyRule[] = [];
  const sorted = [...all].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const compiled = labelSelectorAsSelector(selector);
    for (const other of sorted) {
      if (other.metadata.name === role.metadata.name || !compiled.matches(other.metadata.labels)) continue;
      for (const rule of other.rules ?? []) if (!rules.some((known) => semanticEqual(known, rule))) rules.push(rule);
    }
  }
  return semanticEqual(rules, role.rules) ? undefined : rules;
}
