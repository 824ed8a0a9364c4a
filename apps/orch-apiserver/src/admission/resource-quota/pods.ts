import { core } from "@orchernetes/api";
import { Quantity } from "@orchernetes/apimachinery";
import { type Amounts, add, amountsOf, podAmounts } from "../resource-amounts.ts";
import type { Evaluator, Scope } from "./evaluator.ts";

const NAMES: ReadonlySet<string> = new Set([
  "cpu",
  "memory",
  "ephemeral-storage",
  "requests.cpu",
  "requests.memory",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
  "pods",
  "count/pods",
]);

/** Where a quota limits one of these, every container must say what it wants of it. */
const MUST_BE_SAID: ReadonlySet<string> = new Set([
  "cpu",
  "memory",
  "requests.cpu",
  "requests.memory",
  "limits.cpu",
  "limits.memory",
]);

const COMPUTE = ["cpu", "memory", "ephemeral-storage"] as const;

/** Names in a foreign domain, asked for as `requests.<name>`. */
function isExtended(name: string): boolean {
  return name.startsWith("requests.") && name.includes("/") && !name.includes("orchernetes.io/");
}

/** The names under which quotas know requests and limits. */
function quotaNames(requests: Amounts, limits: Amounts): Map<string, Quantity> {
  const usage = new Map<string, Quantity>();
  for (const name of COMPUTE) {
    const request = requests.get(name);
    if (request !== undefined) usage.set(name, request).set(`requests.${name}`, request);
    const limit = limits.get(name);
    if (limit !== undefined) usage.set(`limits.${name}`, limit);
  }
  for (const [name, amount] of requests) {
    if (name.startsWith("hugepages-")) usage.set(name, amount).set(`requests.${name}`, amount);
    else if (isExtended(`requests.${name}`)) usage.set(`requests.${name}`, amount);
  }
  return usage;
}

/** Pods that have ended, or whose time to end is up, hold nothing but their name. */
function hasEnded({ metadata, status }: core.Pod, now: Date): boolean {
  if (status.phase === "Failed" || status.phase === "Succeeded") return true;
  const { deletionTimestamp } = metadata;
  return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < now.getTime();
}

function crossesNamespaces({ affinity }: core.PodSpec): boolean {
  const terms = [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((part) => [
    ...(part?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(part?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((weighted) => weighted.podAffinityTerm),
  ]);
  return terms.some((term) => (term.namespaces ?? []).length > 0 || term.namespaceSelector !== undefined);
}

function hasPriority(name: string, { operator, values }: Scope): boolean {
  switch (operator) {
    case "Exists":
      return name !== "";
    case "DoesNotExist":
      return name === "";
    case "In":
      return name !== "" && values.includes(name);
    case "NotIn":
      return !values.includes(name);
  }
}

/** Pods count by number and by what their containers ask for. */
export const pods: Evaluator = {
  operations: new Set(["CREATE"]),
  limits: (name) =>
    NAMES.has(name) || name.startsWith("hugepages-") || name.startsWith("requests.hugepages-") || isExtended(name),
  inScope(object, scope) {
    const { spec } = object as core.Pod;
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
        return hasPriority(spec.priorityClassName ?? "", scope);
      case "CrossNamespacePodAffinity":
        return crossesNamespaces(spec);
      default:
        return false;
    }
  },
  missing(object, limited) {
    const { spec } = object as core.Pod;
    const wanted = limited.filter((name) => MUST_BE_SAID.has(name)).sort();
    const parts = wanted.flatMap((name) => {
      const silent = [...spec.containers, ...(spec.initContainers ?? [])]
        .filter(({ resources }) => !quotaNames(amountsOf(resources?.requests), amountsOf(resources?.limits)).has(name))
        .map((container) => container.name);
      return silent.length === 0 ? [] : [`${name} for: ${[...new Set(silent)].sort().join(",")}`];
    });
    return parts.length === 0 ? undefined : `must specify ${parts.join("; ")}`;
  },
  usage(object, now) {
    const pod = object as core.Pod;
    const one = Quantity.of(1);
    const usage = new Map([["count/pods", one]]);
    if (hasEnded(pod, now)) return usage;
    const overhead = amountsOf(pod.spec.overhead);
    const limits = podAmounts(pod.spec, "limits");
    // Overhead adds to a limit that is there; it makes none.
    for (const [name, amount] of overhead) {
      const limit = limits.get(name);
      if (limit !== undefined) limits.set(name, limit.add(amount));
    }
    const computed = quotaNames(add(podAmounts(pod.spec, "requests"), overhead), limits);
    return new Map([...usage, ["pods", one], ...computed]);
  },
};
