import { type Quantity, quantityOf } from "@orchernetes/apimachinery";
import type { Container } from "../types/container.ts";
import type { PodSpec, PodStatus } from "../types/pod.ts";

const computed = ["cpu", "memory"] as const;
type Sums = Map<string, Quantity>;

/**
 * How firmly a pod holds its resources. Guaranteed: every container limits CPU and memory, and requests what it limits.
 * BestEffort: no container has a request or limit. Burstable: all others.
 */
export function podQosClass(spec: PodSpec): NonNullable<PodStatus["qosClass"]> {
  const requests: Sums = new Map();
  const limits: Sums = new Map();
  let guaranteed = true;
  const visit = ({ resources }: Container): void => {
    add(resources?.requests, requests);
    if (add(resources?.limits, limits) < computed.length) {
      guaranteed = false;
    }
  };
  (spec.containers ?? []).forEach(visit);
  spec.initContainers?.forEach(visit);
  if (requests.size === 0 && limits.size === 0) {
    return "BestEffort";
  }
  const equal = computed.every((name) => {
    const request = requests.get(name);
    const limit = limits.get(name);
    return request === undefined ? limit === undefined : limit !== undefined && request.cmp(limit) === 0;
  });
  return guaranteed && equal ? "Guaranteed" : "Burstable";
}

/** Adds positive amounts to the sums; returns how many there were. */
function add(list: Readonly<Record<string, string>> | undefined, sums: Sums): number {
  if (list === undefined) {
    return 0;
  }
  let found = 0;
  for (const name of computed) {
    const text = list[name];
    const amount = text === undefined ? undefined : quantityOf(text);
    if (amount !== undefined && amount.sign > 0) {
      found++;
      const sum = sums.get(name);
      sums.set(name, sum === undefined ? amount : sum.add(amount));
    }
  }
  return found;
}
