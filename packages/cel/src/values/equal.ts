import { escapeName } from "./escape.ts";
import { callLibrary } from "./library-call.ts";
import {
  Failure,
  isList,
  isMap,
  isOpaque,
  isTypeValue,
  itemsOf,
  type ListOrder,
  type ListValue,
  type MapValue,
  type Outcome,
} from "./value.ts";

/** Whether two values are equal: numbers by value across types, lists by their order, maps by their entries. */
export function equal(a: Outcome, b: Outcome): boolean {
  if (a === b) return !(a instanceof Failure);
  if (a instanceof Failure || b instanceof Failure || a === null || b === null) return false;
  if (typeof a === "string" || typeof a === "boolean" || typeof b === "string" || typeof b === "boolean") return false;
  if (typeof a === "bigint" && typeof b === "bigint") return false;
  if (isList(a)) return isList(b) && equalLists(a, b);
  if (isMap(a)) return isMap(b) && equalMaps(a, b);
  if (isOpaque(a)) return isOpaque(b) && a.type === b.type && a.text === b.text;
  if (isTypeValue(a)) return isTypeValue(b) && a.name === b.name;
  if (isList(b) || isMap(b) || isOpaque(b) || isTypeValue(b)) return false;
  return callLibrary("_==_", undefined, [a, b]) === true;
}

function equalLists(a: ListValue, b: ListValue): boolean {
  if (a.size !== b.size) return false;
  const { order } = a;
  if (order.kind !== "atomic") {
    const others = indexed(b, order);
    return [...itemsOf(a)].every((item) => {
      const other = others.get(identityOf(item, order) ?? "");
      return other !== undefined && equal(item, other);
    });
  }
  for (let i = 0; i < a.size; i++) if (!equal(a.at(i), b.at(i))) return false;
  return true;
}

function equalMaps(a: MapValue, b: MapValue): boolean {
  if (a.size !== b.size) return false;
  return a.keys().every((key) => {
    const one = a.get(key);
    const other = b.get(key);
    return one !== undefined && other !== undefined && equal(one, other);
  });
}

export function contains(list: ListValue, wanted: Outcome): boolean {
  for (let i = 0; i < list.size; i++) if (equal(list.at(i), wanted)) return true;
  return false;
}

/** The items of a list by what identifies them in a set or map. */
export function indexed(list: ListValue, order: ListOrder): ReadonlyMap<string, Outcome> {
  const found = new Map<string, Outcome>();
  for (const item of itemsOf(list)) {
    const identity = identityOf(item, order);
    if (identity !== undefined) found.set(identity, item);
  }
  return found;
}

/** What two items of a set, or of a map by keys, have in common; undefined for values that identify nothing. */
export function identityOf(item: Outcome, order: ListOrder): string | undefined {
  if (item instanceof Failure) return undefined;
  if (order.kind !== "map") return scalarIdentity(item);
  if (!isMap(item)) return undefined;
  const parts = order.keys.map((key) => scalarIdentity(item.get(escapeName(key) ?? key) ?? null));
  return JSON.stringify(parts);
}

function scalarIdentity(value: Outcome): string | undefined {
  switch (typeof value) {
    case "string":
      return `s${value}`;
    case "bigint":
    case "number":
      return `n${value}`;
    case "boolean":
      return `b${value}`;
    default:
      return value === null ? "null" : undefined;
  }
}
