import type { UserInfo } from "@orchernetes/auth";
import type { RequestInfo } from "../interfaces/index.ts";
import type { FlowRule, FlowSchemaConfiguration, FlowSubject } from "./configuration.ts";

const serviceAccountPrefix = "system:serviceaccount:";

function isSubject(subject: FlowSubject, user: UserInfo): boolean {
  switch (subject.kind) {
    case "User":
      return subject.user !== undefined && (subject.user.name === "*" || subject.user.name === user.name);
    case "Group":
      return subject.group !== undefined && (subject.group.name === "*" || user.groups.includes(subject.group.name));
    case "ServiceAccount": {
      if (subject.serviceAccount === undefined) return false;
      const { namespace, name } = subject.serviceAccount;
      const whose = `${serviceAccountPrefix}${namespace}:`;
      return name === "*" ? user.name.startsWith(whose) : user.name === whose + name;
    }
    default:
      return false;
  }
}

const has = (list: readonly string[], value: string): boolean => list.includes("*") || list.includes(value);

/** A path itself, or everything below a prefix that ends in `/*`. */
function hasPath(patterns: readonly string[], path: string): boolean {
  return patterns.some(
    (pattern) =>
      pattern === "*" || pattern === path || (pattern.endsWith("/*") && path.startsWith(pattern.slice(0, -1))),
  );
}

/**
 * Whether a rule matches a request. Requests for cluster-scoped resources, or for all namespaces, need `clusterScope`.
 */
function ruleTakes(rule: FlowRule, info: RequestInfo): boolean {
  if (!info.isResourceRequest)
    return (rule.nonResourceRules ?? []).some(
      ({ verbs, nonResourceURLs }) => has(verbs, info.verb) && hasPath(nonResourceURLs, info.path),
    );
  const resource = info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`;
  return (rule.resourceRules ?? []).some(
    ({ verbs, apiGroups, resources, clusterScope, namespaces }) =>
      has(verbs, info.verb) &&
      has(apiGroups, info.apiGroup) &&
      has(resources, resource) &&
      (info.namespace === "" ? clusterScope === true : has(namespaces ?? [], info.namespace)),
  );
}

/** Whether a flow schema matches a request: one of its rules has both the user and the request. */
export function matchesFlowSchema({ spec }: FlowSchemaConfiguration, info: RequestInfo, user: UserInfo): boolean {
  return (spec.rules ?? []).some(
    (rule) => rule.subjects.some((subject) => isSubject(subject, user)) && ruleTakes(rule, info),
  );
}

/** Flow schemas in the order in which they are matched: by precedence, then by name. */
export function byPrecedence(schemas: readonly FlowSchemaConfiguration[]): readonly FlowSchemaConfiguration[] {
  const precedence = ({ spec }: FlowSchemaConfiguration) => spec.matchingPrecedence ?? 1000;
  return schemas.toSorted((a, b) => precedence(a) - precedence(b) || (a.name < b.name ? -1 : 1));
}
