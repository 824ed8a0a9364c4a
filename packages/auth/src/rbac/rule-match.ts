import type { rbac } from "@orchernetes/api";

/** The part of a request that a rule is matched against. */
export interface RuleRequest {
  readonly verb: string;
  readonly apiGroup: string;
  /** The plural, without the subresource. */
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  readonly resourceRequest: boolean;
  readonly path: string;
}

const has = (list: readonly string[] | undefined, value: string): boolean =>
  list !== undefined && (list.includes(value) || list.includes("*"));

function resourceMatches(rule: rbac.PolicyRule, request: RuleRequest): boolean {
  const { resources } = rule;
  if (resources === undefined) return false;
  const combined = request.subresource === "" ? request.resource : `${request.resource}/${request.subresource}`;
  for (const resource of resources) {
    if (resource === "*" || resource === combined) return true;
    if (request.subresource !== "" && resource === `*/${request.subresource}`) return true;
  }
  return false;
}

/** Whether a path is one of the rule's, or starts with one that ends with `*`. */
function pathMatches(paths: readonly string[] | undefined, path: string): boolean {
  if (paths === undefined) return false;
  return paths.some((p) => p === "*" || p === path || (p.endsWith("*") && path.startsWith(withoutStars(p))));
}

/** Whether a policy rule allows the request. Rules only allow, they never deny. */
export function ruleAllows(rule: rbac.PolicyRule, request: RuleRequest): boolean {
  if (!has(rule.verbs, request.verb)) return false;
  if (!request.resourceRequest) return pathMatches(rule.nonResourceURLs, request.path);
  if (!has(rule.apiGroups, request.apiGroup) || !resourceMatches(rule, request)) return false;
  const names = rule.resourceNames;
  return names === undefined || names.length === 0 || names.includes(request.name);
}

/** Removes the asterisks at the end of a URL, in linear time: a regular expression would need quadratic time for many asterisks. */
export function withoutStars(url: string): string {
  let end = url.length;
  while (url.endsWith("*", end)) end--;
  return url.slice(0, end);
}
