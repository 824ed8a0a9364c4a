import { core } from "@orchernetes/api";
import { assertNever } from "@orchernetes/kernel";
import type { QuotaScope } from "./quota-scope.ts";

/** Whether a term of the pod's (anti-)affinity applies to other namespaces (KEP-2249). */
function crossesNamespaces({ affinity }: core.PodSpec): boolean {
  const terms = [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((part) => [
    ...(part?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(part?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  return terms.some((term) => (term.namespaces ?? []).length > 0 || term.namespaceSelector !== undefined);
}

function hasPriorityClass(name: string, { operator, values }: QuotaScope): boolean {
  switch (operator) {
    case "Exists":
      return name !== "";
    case "DoesNotExist":
      return name === "";
    case "In":
      return name !== "" && values.includes(name);
    case "NotIn":
      return !values.includes(name);
    default:
      return assertNever(operator);
  }
}

/** Whether a pod is within a scope of a quota. No pod is within an unknown scope. */
export function podInScope(spec: core.PodSpec, scope: QuotaScope): boolean {
  switch (scope.name) {
    case "Terminating":
      return (spec.activeDeadlineSeconds ?? -1) >= 0;
    case "NotTerminating":
      return (spec.activeDeadlineSeconds ?? -1) < 0;
    case "BestEffort":
      return core.podQosClass(spec) === "BestEffort";
    case "NotBestEffort":
      return core.podQosClass(spec) !== "BestEffort";
    case "PriorityClass":
      return hasPriorityClass(spec.priorityClassName ?? "", scope);
    case "CrossNamespacePodAffinity":
      return crossesNamespaces(spec);
    default:
      return false;
  }
}
