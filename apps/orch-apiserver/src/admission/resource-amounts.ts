import type { core } from "@orchernetes/api";
import { Quantity, quantityOf } from "@orchernetes/apimachinery";

/** Amounts by resource name, as the API writes them. */
export type ResourceList = Readonly<Record<string, string>>;

/** Amounts by resource name, to calculate with. */
export type Amounts = ReadonlyMap<string, Quantity>;

const zero = Quantity.of(0);

/** Reads a resource list. */
export function amountsOf(list: ResourceList | undefined): Map<string, Quantity> {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, quantityOf(text)]));
}

/** Writes a resource list, in order of names. */
export function listOf(amounts: Amounts): Record<string, string> {
  return Object.fromEntries(
    [...amounts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, q]) => [name, q.canonical()]),
  );
}

/** The sum, over the names of both. */
export function add(a: Amounts, b: Amounts): Map<string, Quantity> {
  const sum = new Map(a);
  for (const [name, amount] of b) sum.set(name, (sum.get(name) ?? zero).add(amount));
  return sum;
}

/** The larger of both, name by name. */
export function max(a: Amounts, b: Amounts): Map<string, Quantity> {
  const larger = new Map(a);
  for (const [name, amount] of b) {
    const other = larger.get(name);
    if (other === undefined || amount.cmp(other) > 0) larger.set(name, amount);
  }
  return larger;
}

/** Whether both lists name the same resources in the same amounts, however written. */
export function sameAmounts(a: ResourceList = {}, b: ResourceList = {}): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => {
      const [x, y] = [a[name], b[name]];
      return x !== undefined && y !== undefined && quantityOf(x).cmp(quantityOf(y)) === 0;
    })
  );
}

/**
 * What a pod takes of `requests` or `limits`: its containers together, or its largest init container where that is more.
 * Without overhead.
 */
export function podAmounts(spec: core.PodSpec, of: "requests" | "limits"): Map<string, Quantity> {
  let total = new Map<string, Quantity>();
  for (const { resources } of spec.containers) total = add(total, amountsOf(resources?.[of]));
  for (const { resources } of spec.initContainers ?? []) total = max(total, amountsOf(resources?.[of]));
  return total;
}
