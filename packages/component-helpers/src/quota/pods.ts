import { core } from "@orchernetes/api";
import { Quantity } from "@orchernetes/apimachinery";
import { isPodTerminal } from "../pods/pod-state.ts";
import { podLimits, podRequests } from "../resources/pod-resources.ts";
import { type Amounts, amountsOf } from "../resources/resource-list.ts";
import type { QuotaEvaluator } from "./evaluator.ts";
import { podInScope } from "./pod-scopes.ts";

const compute = ["cpu", "memory", "ephemeral-storage"] as const;

const names: ReadonlySet<string> = new Set([
  ...compute.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
  "pods",
  "count/pods",
]);

/** If a quota limits one of these, every container must specify an amount of it. */
const required: ReadonlySet<string> = new Set([
  "cpu",
  "memory",
  "requests.cpu",
  "requests.memory",
  "limits.cpu",
  "limits.memory",
]);

/** Extended resources, which quotas limit as `requests.<name>`. */
function isExtendedLimit(name: string): boolean {
  return name.startsWith("requests.") && name.includes("/") && !name.includes("orchernetes.io/");
}

/** Requests and limits by the names that quotas use. */
function quotaNames(requests: Amounts, limits: Amounts): Map<string, Quantity> {
  const usage = new Map<string, Quantity>();
  for (const name of compute) {
    const request = requests.get(name);
    if (request !== undefined) usage.set(name, request).set(`requests.${name}`, request);
    const limit = limits.get(name);
    if (limit !== undefined) usage.set(`limits.${name}`, limit);
  }
  for (const [name, amount] of requests) {
    if (name.startsWith("hugepages-")) usage.set(name, amount).set(`requests.${name}`, amount);
    else if (core.isExtendedResource(name)) usage.set(`requests.${name}`, amount);
  }
  return usage;
}

/**
 * Whether a pod uses no resources except its object: it has terminated, or its deletion is overdue by another grace
 * period, for example because its node is lost.
 */
function hasEnded(pod: core.Pod, now: Date): boolean {
  if (isPodTerminal(pod)) return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false;
  return Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000 < now.getTime();
}

/** Counts pods by number and by the requests and limits of their containers. */
export const podQuota: QuotaEvaluator = {
  group: "",
  plural: "pods",
  operations: new Set(["CREATE"]),
  limits: (name) =>
    names.has(name) || name.startsWith("hugepages-") || name.startsWith("requests.hugepages-") || isExtendedLimit(name),
  inScope: (object, scope) => podInScope((object as core.Pod).spec, scope),
  missing(object, limited) {
    const { containers, initContainers = [] } = (object as core.Pod).spec;
    const given = [...containers, ...initContainers].map(({ name, resources }) => ({
      name,
      amounts: quotaNames(amountsOf(resources?.requests), amountsOf(resources?.limits)),
    }));
    const parts = limited
      .filter((name) => required.has(name))
      .sort()
      .flatMap((resource) => {
        const lacking = given.filter(({ amounts }) => !amounts.has(resource)).map(({ name }) => name);
        return lacking.length === 0 ? [] : [`${resource} for: ${[...new Set(lacking)].sort().join(",")}`];
      });
    return parts.length === 0 ? undefined : `must specify ${parts.join("; ")}`;
  },
  usage(object, now) {
    const pod = object as core.Pod;
    const one = Quantity.of(1);
    if (hasEnded(pod, now)) return new Map([["count/pods", one]]);
    return quotaNames(podRequests(pod.spec), podLimits(pod.spec)).set("count/pods", one).set("pods", one);
  },
};
