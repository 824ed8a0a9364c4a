import type { core } from "@orchernetes/api";
import type { Quantity } from "@orchernetes/apimachinery";
import { type Amounts, addAmounts, amountsOf, maxAmounts } from "./resource-list.ts";

/** Whether `spec.overhead`, the cost of running the sandbox (KEP-688), is included. */
export interface PodResourcesOptions {
  /** @default true */
  readonly overhead?: boolean;
}

function ofContainers({ containers, initContainers }: core.PodSpec, of: "requests" | "limits"): Map<string, Quantity> {
  let total = new Map<string, Quantity>();
  for (const { resources } of containers) total = addAmounts(total, amountsOf(resources?.[of]));
  for (const { resources } of initContainers ?? []) total = maxAmounts(total, amountsOf(resources?.[of]));
  return total;
}

/**
 * The requests of a pod: the sum of its containers, or its largest init container if that is more (init containers run
 * one at a time, before the others), plus overhead. Exact.
 *
 * @throws QuantityError
 */
export function podRequests(spec: core.PodSpec, { overhead = true }: PodResourcesOptions = {}): Amounts {
  const total = ofContainers(spec, "requests");
  return overhead ? addAmounts(total, amountsOf(spec.overhead)) : total;
}

/**
 * The limits of a pod, computed like {@link podRequests}. Overhead increases an existing limit, but does not create
 * one.
 *
 * @throws QuantityError
 */
export function podLimits(spec: core.PodSpec, { overhead = true }: PodResourcesOptions = {}): Amounts {
  const total = ofContainers(spec, "limits");
  if (overhead)
    for (const [name, amount] of amountsOf(spec.overhead)) {
      const limit = total.get(name);
      if (limit !== undefined) total.set(name, limit.add(amount));
    }
  return total;
}
