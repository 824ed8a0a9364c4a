import { Quantity, quantityOf } from "@orchernetes/apimachinery";

/** Amounts by resource name, as the API writes them: `{ cpu: "500m" }`. */
export type ResourceList = Readonly<Record<string, string>>;

/** Amounts by resource name, to calculate with. */
export type Amounts = ReadonlyMap<string, Quantity>;

const zero = Quantity.of(0);

/**
 * Reads a resource list; an absent one is empty.
 *
 * @throws QuantityError
 */
export function amountsOf(list: ResourceList | undefined): Map<string, Quantity> {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, quantityOf(text)]));
}

/** Writes a resource list, in order of names. */
export function resourceListOf(amounts: Amounts): Record<string, string> {
  return Object.fromEntries(
    [...amounts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, quantity]) => [name, quantity.canonical()]),
  );
}

/** The sum, over the names of both. */
export function addAmounts(a: Amounts, b: Amounts): Map<string, Quantity> {
  const sum = new Map(a);
  for (const [name, amount] of b) sum.set(name, (sum.get(name) ?? zero).add(amount));
  return sum;
}

/** The larger of both, name by name. */
export function maxAmounts(a: Amounts, b: Amounts): Map<string, Quantity> {
  const larger = new Map(a);
  for (const [name, amount] of b) {
    const other = larger.get(name);
    if (other === undefined || amount.cmp(other) > 0) larger.set(name, amount);
  }
  return larger;
}

/** Whether both lists name the same resources in the same amounts, however they are written. */
export function sameResourceList(a: ResourceList = {}, b: ResourceList = {}): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => {
      const [x, y] = [a[name], b[name]];
      return x !== undefined && y !== undefined && quantityOf(x).cmp(quantityOf(y)) === 0;
    })
  );
}
