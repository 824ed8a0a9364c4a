import {
  enumeration,
  type Infer,
  ListMeta,
  list,
  mapOf,
  message,
  ObjectMeta,
  object,
  optional,
  pointer,
  quantity,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";

const pkg = "core/v1";

/** The limits of a quota, and what they count. */
export const ResourceQuotaSpec = message(pkg, "ResourceQuotaSpec", () => ({
  hard: optional(1, mapOf(quantity)),
  scopes: optional(
    2,
    list(
      enumeration(
        "Terminating",
        "NotTerminating",
        "BestEffort",
        "NotBestEffort",
        "PriorityClass",
        "CrossNamespacePodAffinity",
      ),
    ),
  ),
  scopeSelector: pointer(3, ScopeSelector),
}));
export interface ResourceQuotaSpec extends Infer<typeof ResourceQuotaSpec> {}

/** A query over the scopes that a pod fits. All requirements must hold. */
export const ScopeSelector = message(
  pkg,
  "ScopeSelector",
  () => ({
    matchExpressions: optional(1, list(ScopedResourceSelectorRequirement)),
  }),
  { atomic: true },
);
export interface ScopeSelector extends Infer<typeof ScopeSelector> {}

/** One requirement on a scope. */
export const ScopedResourceSelectorRequirement = message(pkg, "ScopedResourceSelectorRequirement", () => ({
  scopeName: required(
    1,
    enumeration(
      "Terminating",
      "NotTerminating",
      "BestEffort",
      "NotBestEffort",
      "PriorityClass",
      "CrossNamespacePodAffinity",
    ),
  ),
  operator: required(2, enumeration("In", "NotIn", "Exists", "DoesNotExist")),
  values: optional(3, list(string)),
}));
export interface ScopedResourceSelectorRequirement extends Infer<typeof ScopedResourceSelectorRequirement> {}

/** The limits in force, and how much of them is used. */
export const ResourceQuotaStatus = message(pkg, "ResourceQuotaStatus", () => ({
  hard: optional(1, mapOf(quantity)),
  used: optional(2, mapOf(quantity)),
}));
export interface ResourceQuotaStatus extends Infer<typeof ResourceQuotaStatus> {}

/** Limits what all objects of a namespace may use in total. Requests that would exceed it are rejected with 403. */
export const ResourceQuota = object(pkg, "ResourceQuota", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, ResourceQuotaSpec),
  status: value(3, ResourceQuotaStatus),
}));
export interface ResourceQuota extends Infer<typeof ResourceQuota> {}

export const ResourceQuotaList = object(pkg, "ResourceQuotaList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(ResourceQuota)),
}));
export interface ResourceQuotaList extends Infer<typeof ResourceQuotaList> {}
