import { type FieldPath, field } from "@orchernetes/apimachinery";
import { isPlain } from "../schema/structural.ts";
import type { RuleNode } from "./rule-tree.ts";

/** A value, the rules that are about it, and the value that was there before. */
export interface Place {
  readonly node: RuleNode;
  readonly value: unknown;
  /** Undefined where nothing was, or where it can't be found. */
  readonly old: unknown;
  readonly path: FieldPath;
}

/** An object as a whole. */
export const rootPlace = (node: RuleNode, value: unknown, old: unknown): Place => ({
  node,
  value,
  old,
  path: field(""),
});

/** Whether the items of a list before have to be indexed, so that those of a list are found among them. */
export function needsIndex({ node, value, old }: Place): boolean {
  return node.items !== undefined && node.keys !== undefined && Array.isArray(value) && Array.isArray(old);
}

/** The places directly in a place that have rules in or below them; undefined if there are none. */
export function placesIn(place: Place, indexed: IndexedItems | undefined): Iterator<Place> | undefined {
  const { node, value } = place;
  if (Array.isArray(value)) return node.items === undefined ? undefined : itemsIn(place, node.items, value, indexed);
  if (!isPlain(value)) return undefined;
  return node.additional === undefined ? propertiesIn(place, value).values() : membersIn(place, node.additional, value);
}

type Json = Readonly<Record<string, unknown>>;

/** The members before the update; none if members cannot be related to them. */
const before = ({ node, old }: Place): Json => (node.correlates && isPlain(old) ? old : {});

const previousOf = (old: Json, name: string): unknown => (Object.hasOwn(old, name) ? old[name] : undefined);

/** The declared properties that an object has. It goes through the object's members, which may be fewer than the schema's. */
function propertiesIn(place: Place, value: Json): readonly Place[] {
  const { node, path } = place;
  const old = before(place);
  const places: Place[] = [];
  if (node.properties.size === 0) return places;
  for (const [name, member] of Object.entries(value)) {
    const property = node.properties.get(name);
    if (property !== undefined)
      places.push({ node: property, value: member, old: previousOf(old, name), path: path.child(name) });
  }
  return places;
}

/** A generator, since a map may have very many members and the budget may end before the last one. */
function* membersIn(place: Place, additional: RuleNode, value: Json): Generator<Place> {
  const { node, path } = place;
  const old = before(place);
  for (const name of Object.keys(value)) {
    const property = node.properties.get(name);
    yield {
      node: property ?? additional,
      value: value[name],
      old: previousOf(old, name),
      path: property === undefined ? path.key(name) : path.child(name),
    };
  }
}

function* itemsIn(
  { node, path }: Place,
  items: RuleNode,
  value: readonly unknown[],
  indexed: IndexedItems | undefined,
): Generator<Place> {
  for (const [i, item] of value.entries())
    yield { node: items, value: item, old: indexed?.find(item, node.keys ?? []), path: path.index(i) };
}

/** The items of a list by their keys: with it, comparing two lists of n items takes 2n steps and not n². */
export class IndexedItems {
  readonly #items = new Map<string, unknown>();

  add(item: unknown, keys: readonly string[]): void {
    this.#items.set(keysOf(item, keys), item);
  }

  find(item: unknown, keys: readonly string[]): unknown {
    return this.#items.get(keysOf(item, keys));
  }
}

/** The keys of an item as one text. An absent key counts as null; the values of several keys cannot run together. */
function keysOf(item: unknown, keys: readonly string[]): string {
  return JSON.stringify(isPlain(item) ? keys.map((key) => keyOf(Object.hasOwn(item, key) ? item[key] : null)) : null);
}

/** Keys are scalars; an integer beyond those of JavaScript is a bigint. */
const keyOf = (value: unknown): unknown => (typeof value === "bigint" ? { integer: String(value) } : value);
