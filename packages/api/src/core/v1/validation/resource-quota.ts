import { type FieldError, type FieldPath, field, goSlice } from "@orchernetes/apimachinery";
import { validateQuantity, validateResourceName } from "../../../shared/resource-lists.ts";
import { isStandardQuotaResource } from "../../../shared/resource-names.ts";
import type { ResourceQuotaSpec, ScopedResourceSelectorRequirement } from "../types/resource-quota.ts";

const allScopes: ReadonlySet<string> = new Set([
  "Terminating",
  "NotTerminating",
  "BestEffort",
  "NotBestEffort",
  "PriorityClass",
  "CrossNamespacePodAffinity",
]);
const podCounts: ReadonlySet<string> = new Set(["pods"]);
const podResources: ReadonlySet<string> = new Set([
  "pods",
  "cpu",
  "memory",
  "limits.cpu",
  "limits.memory",
  "requests.cpu",
  "requests.memory",
]);
const conflicting = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
] as const;

/** Validates the name of a resource that a quota limits. */
export function validateQuotaResourceName(name: string, path: FieldPath): FieldError[] {
  const errors = validateResourceName(name, path);
  if (!name.includes("/") && !isStandardQuotaResource(name)) {
    errors.push(field.invalid(path, name, "must be a standard resource for quota"));
  }
  return errors;
}

/** Validates a quota: the resources that it limits, and the pods that it applies to. */
export function validateResourceQuotaSpec(spec: ResourceQuotaSpec): FieldError[] {
  const errors: FieldError[] = [];
  const path = field("spec");
  for (const [name, amount] of Object.entries(spec.hard ?? {})) {
    const at = path.child("hard").key(name);
    errors.push(...validateQuotaResourceName(name, at), ...validateQuantity(name, amount, at));
  }
  validateScopes(spec, path.child("scopes"), errors);
  validateScopeSelector(spec, path.child("scopeSelector", "matchExpressions"), errors);
  return errors;
}

/**
 * Whether a scope selects pods for a limit on this resource: scopes are about pods, so they do not apply to counts of
 * other objects.
 */
function applies(scope: string, resource: string): boolean {
  if (!isStandardQuotaResource(resource)) {
    return true;
  }
  return allScopes.has(scope) && (scope === "BestEffort" ? podCounts : podResources).has(resource);
}

/** Number of limited resources that a scope does not apply to. */
function foreignResources(scope: string, hard: ResourceQuotaSpec["hard"]): number {
  return Object.keys(hard ?? {}).filter((resource) => !applies(scope, resource)).length;
}

/**
 * Validates the older list of scopes. There is an error for each resource that a scope does not apply to, as in
 * Kubernetes 1.27.
 */
function validateScopes({ scopes, hard }: ResourceQuotaSpec, path: FieldPath, errors: FieldError[]): void {
  if (scopes === undefined || scopes.length === 0) {
    return;
  }
  const refuse = (detail: string): void => {
    errors.push(field.invalid(path, goSlice("core.ResourceQuotaScope", scopes), detail));
  };
  const foreign = new Map([...allScopes].map((scope) => [scope, foreignResources(scope, hard)]));
  for (const scope of scopes) {
    if (!allScopes.has(scope)) {
      refuse("unsupported scope");
    } else {
      for (let i = foreign.get(scope) ?? 0; i > 0; i--) {
        refuse("unsupported scope applied to resource");
      }
    }
  }
  for (const pair of conflicting) {
    if (pair.every((scope) => scopes.includes(scope))) {
      refuse("conflicting scopes");
    }
  }
}

/** Validates the newer selector of scopes, which alone can select by priority class (KEP-3126). */
function validateScopeSelector(spec: ResourceQuotaSpec, path: FieldPath, errors: FieldError[]): void {
  const requirements = spec.scopeSelector?.matchExpressions ?? [];
  const scopes = new Set<string>();
  const foreign = new Map([...allScopes].map((scope) => [scope, foreignResources(scope, spec.hard)]));
  for (const requirement of requirements) {
    const scope: string = requirement.scopeName;
    scopes.add(scope);
    if (!allScopes.has(scope)) {
      errors.push(field.invalid(path.child("scopeName"), scope, "unsupported scope"));
    } else if ((foreign.get(scope) ?? 0) > 0) {
      errors.push(field.invalid(path, spec.scopeSelector, "unsupported scope applied to resource"));
    }
    validateRequirement(requirement, path, errors);
  }
  for (const pair of conflicting) {
    if (pair.every((scope) => scopes.has(scope))) {
      errors.push(field.invalid(path, spec.scopeSelector, "conflicting scopes"));
    }
  }
}

function validateRequirement(
  { scopeName, operator, values = [] }: ScopedResourceSelectorRequirement,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (scopeName !== "PriorityClass" && allScopes.has(scopeName) && operator !== "Exists") {
    const detail =
      "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
    errors.push(field.invalid(path.child("operator"), operator, detail));
  }
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) {
        const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
        errors.push(field.required(path.child("values"), detail));
      }
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) {
        const detail = "must be no value when `operator` is 'Exists' or 'DoesNotExist' for scope selector";
        errors.push(field.invalid(path.child("values"), values, detail));
      }
      break;
    default:
      errors.push(field.invalid(path.child("operator"), operator, "not a valid selector operator"));
  }
}
