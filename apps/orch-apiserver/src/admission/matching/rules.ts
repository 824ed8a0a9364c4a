import type { AdmissionAttributes, GroupVersionResource } from "@orchernetes/apiserver";

/** Some operations on some resources, as webhooks and policies name them. `*` matches everything; an absent list nothing. */
export interface RuleWithOperations {
  readonly operations?: readonly string[] | undefined;
  readonly apiGroups?: readonly string[] | undefined;
  readonly apiVersions?: readonly string[] | undefined;
  /** `pods`, `pods/log`, `pods/*`, `*` (no subresources), `*` + `/log`, or all with `*` + `/*`. */
  readonly resources?: readonly string[] | undefined;
  /** `Cluster`, `Namespaced` or `*`. Namespaces themselves are cluster-scoped. @default `*` */
  readonly scope?: string | null | undefined;
  /** Only objects of these names; empty or absent: of all names. Creates that leave the name to the server have none. */
  readonly resourceNames?: readonly string[] | undefined;
}

/** The part of a write that rules are about. */
export type RuleSubject = Pick<AdmissionAttributes, "operation" | "resource" | "subresource" | "namespace" | "name">;

/** Whether any of the rules is about the write, in the version in which it was requested. */
export function matchesRules(rules: readonly RuleWithOperations[], subject: RuleSubject): boolean {
  return rules.some((rule) => matchesRule(rule, subject, subject.resource) && matchesName(rule, subject));
}

/** Whether a rule is about the write if `resource` is the resource; without a look at the object's name. */
export function matchesRule(
  { operations, apiGroups, apiVersions, resources, scope }: RuleWithOperations,
  { operation, subresource, namespace }: Omit<RuleSubject, "resource" | "name">,
  resource: GroupVersionResource,
): boolean {
  return (
    inScope(scope ?? "*", resource, namespace) &&
    includes(operations, operation) &&
    includes(apiGroups, resource.group) &&
    includes(apiVersions, resource.version) &&
    includesResource(resources, resource.resource, subresource)
  );
}

/** Whether the rule is about all names or about that of the write. */
export function matchesName({ resourceNames }: RuleWithOperations, { name }: Pick<RuleSubject, "name">): boolean {
  return resourceNames === undefined || resourceNames.length === 0 || resourceNames.includes(name);
}

function inScope(scope: string, { group, resource }: GroupVersionResource, namespace: string): boolean {
  if (scope === "*") return true;
  const namespaced = namespace !== "" && !(group === "" && resource === "namespaces");
  if (scope === "Namespaced") return namespaced;
  return scope === "Cluster" && !namespaced;
}

const includes = (items: readonly string[] | undefined, wanted: string): boolean =>
  items?.some((item) => item === "*" || item === wanted) ?? false;

function includesResource(items: readonly string[] | undefined, resource: string, subresource: string): boolean {
  return (
    items?.some((item) => {
      const slash = item.indexOf("/");
      const name = slash < 0 ? item : item.slice(0, slash);
      const sub = slash < 0 ? "" : item.slice(slash + 1);
      return (name === "*" || name === resource) && (sub === "*" || sub === subresource);
    }) ?? false
  );
}
