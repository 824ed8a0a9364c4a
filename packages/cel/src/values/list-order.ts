import { escapeName } from "./escape.ts";
import { Failure, isMap, type ListOrder, type Outcome } from "./value.ts";

/** What an item has in common with the same item of another list, as a key of a Map. */
export type Identity = string | bigint | number | boolean | null;

/** How items of a set, or of a map by keys, are identified; undefined for an item that nothing identifies. */
export function identifyBy(order: ListOrder): (item: Outcome) => Identity | undefined {
  if (order.kind !== "map") return scalarIdentity;
  const keys = order.keys.map((key) => escapeName(key) ?? key);
  return (item) => {
    if (item instanceof Failure || !isMap(item)) return undefined;
    const [first = "", ...rest] = keys;
    const identity = scalarIdentity(item.get(first) ?? null);
    if (rest.length === 0) return identity;
    const all = [identity, ...rest.map((key) => scalarIdentity(item.get(key) ?? null))];
    return JSON.stringify(all.map((one) => (typeof one === "bigint" ? { integer: String(one) } : one)));
  };
}

/** Numbers are identified by value: 1 and 1.0 are the same item, as they are equal. */
function scalarIdentity(value: Outcome): Identity | undefined {
  switch (typeof value) {
    case "number":
      return Number.isInteger(value) ? BigInt(value) : value;
    case "string":
    case "bigint":
    case "boolean":
      return value;
    default:
      return value === null ? null : undefined;
  }
}
