import type { rbac } from "@orchernetes/api";
import type { Attributes, Authorizer } from "../authorizers/authorizer.ts";
import { withoutStars } from "../rbac/rule-match.ts";
import type { UserInfo } from "../user.ts";
import type { AbacPolicy } from "./policy-file.ts";

const READ_VERBS: readonly string[] = ["get", "list", "watch"];

/** Mode ABAC: allows what one of the policies allows, and has no opinion on the rest. */
export function abacAuthorizer(policies: readonly AbacPolicy[]): Authorizer {
  return {
    authorize: (attributes) =>
      policies.some((policy) => policyAllows(policy, attributes))
        ? { type: "Allow" }
        : { type: "NoOpinion", reason: "No policy matched." },
  };
}

/** Returns the policies of a user in a namespace as RBAC rules. Unlike a policy, such a rule does not include the subresources. */
export function abacRules(
  policies: readonly AbacPolicy[],
  user: UserInfo,
  namespace: string,
): readonly rbac.PolicyRule[] {
  return policies
    .filter((policy) => matchesSubject(policy, user) && matchesName(policy.namespace, namespace))
    .flatMap(({ readonly, apiGroup, resource, nonResourcePath }): readonly rbac.PolicyRule[] => {
      const verbs = readonly ? READ_VERBS : ["*"];
      return [
        ...(resource === "" ? [] : [{ verbs, apiGroups: [apiGroup], resources: [resource] }]),
        ...(nonResourcePath === "" ? [] : [{ verbs, nonResourceURLs: [nonResourcePath] }]),
      ];
    });
}

function policyAllows(policy: AbacPolicy, { user, ...request }: Attributes): boolean {
  if (!matchesSubject(policy, user)) return false;
  if (policy.readonly && !READ_VERBS.includes(request.verb)) return false;
  return request.resourceRequest
    ? matchesName(policy.namespace, request.namespace) &&
        matchesName(policy.resource, request.resource) &&
        matchesName(policy.apiGroup, request.apiGroup)
    : matchesPath(policy.nonResourcePath, request.path);
}

/** If a policy names both a user and a group, both must match. */
function matchesSubject({ user, group }: AbacPolicy, { name, groups }: UserInfo): boolean {
  if (user === "" && group === "") return false;
  return (user === "" || user === name) && (group === "" || groups.includes(group));
}

const matchesName = (wanted: string, found: string): boolean => wanted === "*" || wanted === found;

const matchesPath = (wanted: string, path: string): boolean =>
  wanted === path || (wanted.endsWith("*") && path.startsWith(withoutStars(wanted)));
