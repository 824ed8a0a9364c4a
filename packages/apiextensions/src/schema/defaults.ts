import { cloneJson, requestEntityTooLarge, setOwn } from "@orchernetes/apimachinery";
import { isForbiddenNull, isPlain, type Structural } from "./structural.ts";

/** Maximum size of the defaults added to one object, in characters of JSON: the size limit of a request. */
const maxAddedCharacters = 3 * 1024 * 1024;

/** Remaining budget for defaults. A default of a kilobyte for each of a million items would exhaust the server's memory. */
export class DefaultsBudget {
  #left = maxAddedCharacters;

  /** Charges a default that is added under a name; false if the budget is exceeded. It lasts for one object, nested defaults included. */
  take(name: string, structural: Structural): boolean {
    this.#left -= name.length + sizeOf(structural);
    return this.#left >= 0;
  }
}

/** Sizes of defaults are computed once for each schema; they go with it when the definition changes. */
const sizes = new WeakMap<Structural, number>();

function sizeOf(structural: Structural): number {
  let size = sizes.get(structural);
  if (size === undefined) {
    size = JSON.stringify(structural.schema.default ?? null).length + 4;
    sizes.set(structural, size);
  }
  return size;
}

/**
 * Sets defaults (KEP-575), in place: for members that are absent, or null where null is not allowed. Members of objects that a default
 * made get theirs, too. Idempotent.
 *
 * Defaults are set when a request is decoded and also when an object is read from the store: objects that are older than a default show
 * it as if they had been written with it. An absent parent stays absent: the default of `spec.size` applies only where there is a `spec`.
 *
 * @throws ApiError RequestEntityTooLarge if they would add more than the size limit of a request
 */
export function applyDefaults(value: unknown, structural: Structural | undefined, budget = new DefaultsBudget()): void {
  if (structural?.defaults !== true) return;
  if (Array.isArray(value)) {
    defaultItems(value, structural.items, budget);
  } else if (isPlain(value)) {
    defaultMembers(value as Record<string, unknown>, structural, budget);
  }
}

/** An item cannot be absent, only a null that is not allowed: that becomes the default of the items. */
function defaultItems(list: unknown[], items: Structural | undefined, budget: DefaultsBudget): void {
  for (const [i, item] of list.entries()) {
    if (isForbiddenNull(item, items) && items?.hasDefault === true) list[i] = defaultOf("", items, budget);
    applyDefaults(list[i], items, budget);
  }
}

/** First the absent members, then what is in the members: in this order a default object gets the defaults of its own members. */
function defaultMembers(object: Record<string, unknown>, structural: Structural, budget: DefaultsBudget): void {
  for (const [name, property] of structural.defaulted) {
    const has = Object.hasOwn(object, name) && object[name] !== undefined;
    if (!has || isForbiddenNull(object[name], property)) setOwn(object, name, defaultOf(name, property, budget));
  }
  // Iterate over the properties with defaults only: schemas may have many properties, and there may be many objects.
  const { additional } = structural;
  for (const name of Object.keys(object)) {
    const property = structural.properties.get(name);
    if (property !== undefined) applyDefaults(object[name], property, budget);
    else if (additional !== undefined) {
      if (isForbiddenNull(object[name], additional) && additional.hasDefault)
        setOwn(object, name, defaultOf("", additional, budget));
      applyDefaults(object[name], additional, budget);
    }
  }
}

/** A copy, since each object may change its own. */
function defaultOf(name: string, structural: Structural, budget: DefaultsBudget): unknown {
  if (!budget.take(name, structural))
    throw requestEntityTooLarge(`the defaults of its definition would add more than ${maxAddedCharacters} characters`);
  return cloneJson(structural.schema.default);
}
