import type { UserInfo } from "@orchernetes/auth";
import type { AuditLevel, RequestInfo } from "../interfaces/index.ts";

/** The stages at which a request is recorded. */
export type AuditStage = "RequestReceived" | "ResponseStarted" | "ResponseComplete" | "Panic";

/** Resources of an API group. */
interface AuditedResources {
  /** "" for the core group. */
  readonly group: string;
  /** `pods`, `pods/log`, `pods/*`, `*\/status`, `*`; none: all. */
  readonly resources: readonly string[];
  /** None: all. */
  readonly resourceNames: readonly string[];
}

/** A rule of a policy. An empty list matches everything. */
export interface AuditRule {
  readonly level: AuditLevel;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly AuditedResources[];
  /** "" for resources without a namespace. */
  readonly namespaces: readonly string[];
  /** Paths; a `*` at the end matches any suffix. */
  readonly nonResourceURLs: readonly string[];
  readonly omitStages: readonly AuditStage[];
  /** Overrides that of the policy. */
  readonly omitManagedFields?: boolean | undefined;
}

/** Which requests are recorded. The first rule that matches decides; a request that none matches is not recorded. */
export interface AuditPolicy {
  readonly rules: readonly AuditRule[];
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields: boolean;
}

/** How a policy records a request. */
export interface AuditVerdict {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

type Matches = (info: RequestInfo, user: UserInfo | undefined) => boolean;

/** A policy, prepared for many requests. */
export class AuditPolicyEvaluator {
  readonly #rules: readonly { readonly matches: Matches; readonly verdict: AuditVerdict }[];
  readonly #otherwise: AuditVerdict;

  constructor({ rules, omitStages, omitManagedFields }: AuditPolicy) {
    this.#rules = rules.map((rule) => ({
      matches: matcherOf(rule),
      verdict: {
        level: rule.level,
        omitStages: new Set([...omitStages, ...rule.omitStages]),
        omitManagedFields: rule.omitManagedFields ?? omitManagedFields,
      },
    }));
    this.#otherwise = { level: "None", omitStages: new Set(omitStages), omitManagedFields };
  }

  /** @param user undefined if the client could not be authenticated */
  evaluate(info: RequestInfo, user: UserInfo | undefined): AuditVerdict {
    for (const { matches, verdict } of this.#rules) if (matches(info, user)) return verdict;
    return this.#otherwise;
  }
}

function matcherOf(rule: AuditRule): Matches {
  const users = setOf(rule.users);
  const groups = setOf(rule.userGroups);
  const verbs = setOf(rule.verbs);
  const subject = subjectMatcher(rule);
  return (info, user) => {
    if (users !== undefined && (user === undefined || !users.has(user.name))) return false;
    if (groups !== undefined && (user === undefined || !user.groups.some((group) => groups.has(group)))) return false;
    if (verbs !== undefined && !verbs.has(info.verb)) return false;
    return subject(info);
  };
}

const setOf = (values: readonly string[]): ReadonlySet<string> | undefined =>
  values.length === 0 ? undefined : new Set(values);

/** Matches resources or paths; a rule never has both. */
function subjectMatcher({ resources, namespaces, nonResourceURLs }: AuditRule): (info: RequestInfo) => boolean {
  if (resources.length > 0 || namespaces.length > 0) {
    const inNamespace = setOf(namespaces);
    return (info) => {
      if (!info.isResourceRequest) return false;
      if (inNamespace !== undefined && !inNamespace.has(info.namespace)) return false;
      return resources.length === 0 || resources.some((entry) => matchesResource(entry, info));
    };
  }
  if (nonResourceURLs.length > 0) {
    return (info) => !info.isResourceRequest && nonResourceURLs.some((url) => matchesPath(url, info.path));
  }
  return () => true;
}

function matchesResource({ group, resources, resourceNames }: AuditedResources, info: RequestInfo): boolean {
  if (group !== info.apiGroup) return false;
  if (resources.length === 0) return true;
  if (resourceNames.length > 0 && !resourceNames.includes(info.name)) return false;
  const { resource, subresource } = info;
  const whole = subresource === "" ? resource : `${resource}/${subresource}`;
  return resources.some(
    (pattern) =>
      pattern === "*" ||
      pattern === whole ||
      (subresource !== "" && pattern === `*/${subresource}`) ||
      pattern === `${resource}/*`,
  );
}

function matchesPath(pattern: string, path: string): boolean {
  return pattern.endsWith("*") ? path.startsWith(pattern.slice(0, -1)) : pattern === path;
}
