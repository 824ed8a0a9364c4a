import { cloneJson, requestEntityTooLarge, setOwn } from "@orchernetes/apimachinery";
import { isForbiddenNull, isPlain, type Structural } from "./structural.ts";

/** Maximum size of the defaults added to one object, in characters of JSON: the size limit of a request. */
const maxAddedCharacters = 3 * 1024 * 1024;

/** Remaining budget for defaults. A default of a kilobyte for each of a million items would exhaust the server's memory. */
export class DefaultsBudget {
  #left = maxAddedCharacters;

  /** Charges a default that is added under a name; false if the budget is exceeded. */
  take(name: string, structural: Structural): boolean {
    this.#left -= name.length + sizeOf(structural);
    return this.#left >= 0;
  }
}

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
 * Sets defaults, in place: for members that are absent, or null where null is not allowed. Members of objects that a
 * default made get theirs, too. Idempotent.
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

function defaultItems(list: unknown[], items: Structural | undefined, budget: DefaultsBudget): void {
  for (const [i, item] of list.entries()) {
    if (isForbiddenNull(item, items) && items?.hasDefault === true) list[i] = defaultOf("", items, budget);
    applyDefaults(list[i], items, budget);
  }
}

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

function defaultOf(name: string, structural: Structural, budget: DefaultsBudget): unknown {
  if (!budget.take(name, structural))
    throw requestEntityTooLarge(`the defaults of its definition would add more than ${maxAddedCharacters} characters`);
  return cloneJson(structural.schema.default);
}
