import type { core } from "@orchernetes/api";
import { Quantity, quantityOf } from "@orchernetes/apimachinery";
import { isPodTerminal } from "@orchernetes/controller";
import type { Evaluator, Scope } from "./evaluator.ts";

const compute = ["cpu", "memory", "ephemeral-storage"] as const;
const names: ReadonlySet<string> = new Set([
  "pods",
  "count/pods",
  ...compute.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);
const zero = Quantity.of(0);

const isExtended = (name: string): boolean =>
  name.startsWith("requests.") && name.includes("/") && !name.includes("orchernetes.io/");

function add(total: Map<string, Quantity>, list: Readonly<Record<string, string>> | undefined): void {
  for (const [name, text] of Object.entries(list ?? {})) {
    total.set(name, (total.get(name) ?? zero).add(quantityOf(text)));
  }
}

/** Containers together, or the largest init container where that is more; overhead on top. */
function amounts(spec: core.PodSpec, of: "requests" | "limits"): Map<string, Quantity> {
  const total = new Map<string, Quantity>();
  for (const { resources } of spec.containers) add(total, resources?.[of]);
  for (const { resources } of spec.initContainers ?? []) {
    for (const [name, text] of Object.entries(resources?.[of] ?? {})) {
      const amount = quantityOf(text);
      if (amount.cmp(total.get(name) ?? zero) > 0 || !total.has(name)) total.set(name, amount);
    }
  }
  for (const [name, text] of Object.entries(spec.overhead ?? {})) {
    // Overhead adds to a limit that is there; it makes none.
    if (of === "limits" && !total.has(name)) continue;
    total.set(name, (total.get(name) ?? zero).add(quantityOf(text)));
  }
  return total;
}

function hasEnded(pod: core.Pod, now: Date): boolean {
  const { deletionTimestamp } = pod.metadata;
  return isPodTerminal(pod) || (deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < now.getTime());
}

function isBestEffort({ containers, initContainers }: core.PodSpec): boolean {
  return [...containers, ...(initContainers ?? [])].every(({ resources }) =>
    [resources?.requests, resources?.limits].every((list) =>
      ["cpu", "memory"].every((name) => quantityOf(list?.[name] ?? "0").isZero),
    ),
  );
}

function crossesNamespaces({ affinity }: core.PodSpec): boolean {
  return [affinity?.podAffinity, affinity?.podAntiAffinity]
    .flatMap((part) => [
      ...(part?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(part?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
    ])
    .some((term) => (term.namespaces ?? []).length > 0 || term.namespaceSelector !== undefined);
}

function hasPriority(name: string, { operator, values }: Scope): boolean {
  switch (operator) {
    case "Exists":
      return name !== "";
    case "DoesNotExist":
      return name === "";
    case "In":
      return name !== "" && values.includes(name);
    default:
      return !values.includes(name);
  }
}

/** Pods count by number and by what their containers ask for; those that have ended hold nothing but their name. */
export const pods: Evaluator = {
  group: "",
  plural: "pods",
  limits: (name) =>
    names.has(name) || name.startsWith("hugepages-") || name.startsWith("requests.hugepages-") || isExtended(name),
  inScope(object, scope) {
    const { spec } = object as core.Pod;
    switch (scope.name) {
      case "Terminating":
        return (spec.activeDeadlineSeconds ?? -1) >= 0;
      case "NotTerminating":
        return (spec.activeDeadlineSeconds ?? -1) < 0;
      case "BestEffort":
        return isBestEffort(spec);
      case "NotBestEffort":
        return !isBestEffort(spec);
      case "PriorityClass":
        return hasPriority(spec.priorityClassName ?? "", scope);
      case "CrossNamespacePodAffinity":
        return crossesNamespaces(spec);
      default:
        return false;
    }
  },
  usage(object, now) {
    const pod = object as core.Pod;
    const usage = new Map([["count/pods", Quantity.of(1)]]);
    if (hasEnded(pod, now)) return usage;
    usage.set("pods", Quantity.of(1));
    const limits = amounts(pod.spec, "limits");
    for (const [name, amount] of amounts(pod.spec, "requests")) {
      const known = (compute as readonly string[]).includes(name) || name.startsWith("hugepages-");
      if (known) usage.set(name, amount).set(`requests.${name}`, amount);
      else if (isExtended(`requests.${name}`)) usage.set(`requests.${name}`, amount);
    }
    for (const name of compute) {
      const limit = limits.get(name);
      if (limit !== undefined) usage.set(`limits.${name}`, limit);
    }
    return usage;
  },
};
