import type { core } from "@orchernetes/api";
import { milliValueOf, valueOf as wholeValueOf } from "@orchernetes/apimachinery";
import type { ResourceList } from "../node/capacity.ts";
import type { PodFailure } from "./intent.ts";

/**
 * Why this node cannot run a pod that it was given: labels its selector asks for and the node lacks, or more than is free. Pure.
 *
 * @param others pods of this node that hold resources
 */
export function admitPod(
  pod: core.Pod,
  others: readonly core.Pod[],
  node: { readonly allocatable: ResourceList; readonly labels: Readonly<Record<string, string>>; readonly os: string },
): PodFailure | undefined {
  for (const [key, value] of Object.entries(pod.spec.nodeSelector ?? {})) {
    if (node.labels[key] !== value)
      return { reason: "NodeAffinity", message: "Predicate NodeAffinity failed", graceSeconds: 0 };
  }
  if (pod.spec.os !== undefined && pod.spec.os.name !== node.os)
    return {
      reason: "PodOSNotSupported",
      message: "Failed to admit pod as the OS field doesn't match node OS",
      graceSeconds: 0,
    };
  const wanted = requestsOf(pod);
  for (const [resource, amount] of [["pods", 1] as const, ...wanted]) {
    const total = amountOf(resource, node.allocatable[resource] ?? "0");
    const used = others.reduce(
      (sum, other) => sum + (resource === "pods" ? 1 : (requestsOf(other).get(resource) ?? 0)),
      0,
    );
    if (amount > 0 && used + amount > total)
      return {
        reason: `OutOf${resource}`,
        message: `Node didn't have enough resource: ${resource}, requested: ${amount}, used: ${used}, capacity: ${total}`,
        graceSeconds: 0,
      };
  }
  return undefined;
}

const amountOf = (resource: string, text: string): number =>
  resource === "cpu" ? milliValueOf(text) : wholeValueOf(text);

/** What a pod asks for: the sum of its containers, or its largest init container, and its overhead. */
function requestsOf({ spec }: core.Pod): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { resources } of spec.containers)
    for (const [name, text] of Object.entries(resources?.requests ?? {}))
      sums.set(name, (sums.get(name) ?? 0) + amountOf(name, text));
  for (const { resources } of spec.initContainers ?? [])
    for (const [name, text] of Object.entries(resources?.requests ?? {}))
      sums.set(name, Math.max(sums.get(name) ?? 0, amountOf(name, text)));
  for (const [name, text] of Object.entries(spec.overhead ?? {}))
    sums.set(name, (sums.get(name) ?? 0) + amountOf(name, text));
  return sums;
}
