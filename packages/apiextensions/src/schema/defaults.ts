import { setOwn } from "@orchernetes/apimachinery";
import { isForbiddenNull, isPlain, type Structural } from "./structural.ts";

/**
 * Fills in defaults, in place: for members that are absent, or null where null is not allowed. Members of objects that a
 * default made get theirs, too. Idempotent.
 */
export function applyDefaults(value: unknown, structural: Structural | undefined): void {
  if (structural?.defaults !== true) return;
  if (Array.isArray(value)) {
    defaultItems(value, structural.items);
  } else if (isPlain(value)) {
    defaultMembers(value as Record<string, unknown>, structural);
  }
}

function defaultItems(list: unknown[], items: Structural | undefined): void {
  for (const [i, item] of list.entries()) {
    if (isForbiddenNull(item, items) && items?.hasDefault === true) list[i] = copy(items.schema.default);
    applyDefaults(list[i], items);
  }
}

function defaultMembers(object: Record<string, unknown>, structural: Structural): void {
  for (const [name, property] of structural.properties) {
    const has = Object.hasOwn(object, name) && object[name] !== undefined;
    if (property.hasDefault && (!has || isForbiddenNull(object[name], property)))
      setOwn(object, name, copy(property.schema.default));
    else if (!has) continue;
    applyDefaults(object[name], property);
  }
  const { additional } = structural;
  if (additional === undefined) return;
  for (const name of Object.keys(object)) {
    if (structural.properties.has(name)) continue;
    if (isForbiddenNull(object[name], additional) && additional.hasDefault)
      setOwn(object, name, copy(additional.schema.default));
    applyDefaults(object[name], additional);
  }
}

function copy(value: unknown): unknown {
  return typeof value === "object" ? structuredClone(value) : value;
}
