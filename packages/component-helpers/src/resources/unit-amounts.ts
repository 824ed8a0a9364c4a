import type { core } from "@orchernetes/api";
import { milliValueOf, type Quantity, valueOf as wholeValueOf } from "@orchernetes/apimachinery";
import { podRequests } from "./pod-resources.ts";
import type { ResourceList } from "./resource-list.ts";

/**
 * Amounts by resource name as plain numbers, for comparing many pods with many nodes: CPU in thousandths, everything
 * else in whole units (bytes, pieces), rounded up.
 */
export type UnitAmounts = ReadonlyMap<string, number>;

/**
 * A quantity's text in the unit of its resource, rounded up.
 *
 * @throws QuantityError
 */
export function unitAmountOf(resource: string, text: string): number {
  return resource === "cpu" ? milliValueOf(text) : wholeValueOf(text);
}

/** A quantity in the unit of its resource, rounded up. */
export function unitsOf(resource: string, quantity: Quantity): number {
  return resource === "cpu" ? quantity.milliValue() : quantity.value();
}

const finerThanMilli = /[.nu-]/;
const finerThanWhole = /[.nu-]|m$/;

/** Whether a quantity may be a fraction of the unit of its resource. */
const mayBeFraction = (resource: string, text: string): boolean =>
  (resource === "cpu" ? finerThanMilli : finerThanWhole).test(text);

/** Adds up numbers, and records whether all of them were whole: only then is the sum exact. */
class WholeSums {
  readonly sums = new Map<string, number>();
  exact = true;

  add(list: ResourceList | undefined): void {
    for (const name in list) this.#put(name, list[name], (sum, amount) => sum + amount);
  }

  raise(list: ResourceList | undefined): void {
    for (const name in list) this.#put(name, list[name], Math.max);
  }

  #put(name: string, text = "0", combine: (sum: number, amount: number) => number): void {
    if (mayBeFraction(name, text)) this.exact = false;
    this.sums.set(name, combine(this.sums.get(name) ?? 0, unitAmountOf(name, text)));
  }
}

/**
 * The requests of a pod in whole units: {@link podRequests}, rounded up at the end. Fast for ordinary pods, whose
 * amounts are whole.
 *
 * @throws QuantityError
 */
export function podRequestUnits(spec: core.PodSpec): UnitAmounts {
  const whole = new WholeSums();
  for (const { resources } of spec.containers) whole.add(resources?.requests);
  for (const { resources } of spec.initContainers ?? []) whole.raise(resources?.requests);
  whole.add(spec.overhead);
  if (whole.exact) return whole.sums;
  return new Map([...podRequests(spec)].map(([name, quantity]) => [name, unitsOf(name, quantity)]));
}
