import { type Quantity, quantityOf } from "@orchernetes/apimachinery";
import type { Container } from "../types/container.ts";
import type { PodSpec, PodStatus } from "../types/pod.ts";

const computed = ["cpu", "memory"] as const;
type Sums = Map<string, Quantity>;

/**
 * The QoS class of a pod (docs: "Pod Quality of Service Classes"). Guaranteed: every container has limits of CPU and
 * memory, and equal requests. BestEffort: no container has a request or limit. Burstable: all others. It decides which
 * pods a node under pressure evicts first, and is computed once, as the spec's resources do not change the class.
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

/** Adds positive quantities to the sums. Returns their number. */
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
