import type { core } from "@orchernetes/api";
import { milliValueOf, valueOf as wholeValueOf } from "@orchernetes/apimachinery";

/** Value of a quantity: cpu in milli-units, everything else in whole units. */
export const amountOf = (resource: string, text: string): number =>
  resource === "cpu" ? milliValueOf(text) : wholeValueOf(text);

/** Resource requests of a pod: the sum of its containers or its largest init container, plus its overhead. */
export function requestsOf({ spec }: core.Pod): ReadonlyMap<string, number> {
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
