import type { core } from "@orchernetes/api";
import type { Quantity } from "@orchernetes/apimachinery";
import { type Amounts, addAmounts, amountsOf, maxAmounts } from "./resource-list.ts";

/** Whether what it costs to run the pod at all (`spec.overhead`) counts. */
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
 * What a pod asks of its node: its containers together, or its largest init container where that is more (init containers run
 * one at a time, before the others); overhead on top. Exact.
 *
 * @throws QuantityError
 */
export function podRequests(spec: core.PodSpec, { overhead = true }: PodResourcesOptions = {}): Amounts {
  const total = ofContainers(spec, "requests");
  return overhead ? addAmounts(total, amountsOf(spec.overhead)) : total;
}

/**
 * What a pod may use at most, as {@link podRequests}; overhead raises a limit that is there, and makes none.
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
