import { getOwn } from "../codec/json.ts";
import { equalJson } from "../patch/json-value.ts";
import { type FieldSet, keyText, leaf, type MutableFieldSet, sorted, withSelf } from "./field-set.ts";
import { mergeLists } from "./merge-lists.ts";
import { pruneChild } from "./prune.ts";
import { type Comparison, describeValue, isPlain, objectOf, TypedError, type Walker } from "./walker.ts";

/** A member that identifies list items. */
export interface ListKey {
  readonly name: string;
  /** The value of items that lack the member. */
  readonly default?: string | number | boolean | undefined;
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The path element of an item: its keys. */
type ElementOf = (item: unknown) => string;

/**
 * Compiles {@link ElementOf}. The names of the keys are quoted once, here, because the function runs for each list
 * item of each write. Keys are sorted by name, as in `metadata.managedFields`:
 * `k:{"containerPort":80,"protocol":"TCP"}`.
 */
function elementsBy(keys: readonly ListKey[]): ElementOf {
  const parts = keys.map(({ name }, i) => `${i === 0 ? "" : ","}${JSON.stringify(name)}:`);
  return (value) => {
    const source = objectOf(value);
    let text = "k:{";
    let some = false;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as ListKey;
      const own = getOwn(source, key.name) ?? key.default;
      // An empty text is omitted in stored objects, so an item with one and an item without are the same.
      if (own === undefined || own === "") continue;
      const part = parts[i] as string;
      text += (some || i === 0 ? part : part.slice(1)) + JSON.stringify(own);
      some = true;
    }
    return `${text}}`;
  };
}

/** Items by element. Several items with the same keys, which valid clients do not write, are one unit. */
function byElement(list: readonly unknown[], elementOf: ElementOf): Map<string, unknown> {
  const out = new Map<string, unknown>();
  for (const one of list) {
    const element = elementOf(one);
    const before = out.get(element);
    if (before instanceof Twins) before.items.push(one);
    else out.set(element, before === undefined ? one : new Twins(before, one));
  }
  return out;
}

/** A list whose items are identified by their keys and owned field by field. */
export function keyedListWalker(item: Walker, listKeys: readonly ListKey[]): Walker {
  const keys = [...listKeys].sort((a, b) => (a.name < b.name ? -1 : 1));
  const elementOf = elementsBy(keys);
  const index = (list: readonly unknown[]) => byElement(list, elementOf);

  /** Items with equal keys have no separate paths: they are owned together, at the element. */
  const wholeItem = (value: unknown): FieldSet => (value instanceof Twins ? leaf : item.whole(value));

  /** As {@link Walker.compare}, for an item or several with equal keys. */
  const compareItem = (a: unknown, b: unknown, out: Comparison): FieldSet | undefined => {
    if (!(a instanceof Twins) && !(b instanceof Twins)) return item.compare(a, b, out);
    out.removed = undefined;
    return a instanceof Twins && b instanceof Twins && equalJson(a.items, b.items) ? undefined : leaf;
  };

  const compare = (before: unknown, after: unknown, out: Comparison): FieldSet | undefined => {
    const newItems = itemsOf(after);
    if (newItems.length === 1 && itemsOf(before).length === 0) {
      // The usual case: each new pod with one container.
      out.removed = undefined;
      return { [elementOf(newItems[0])]: item.whole(newItems[0]) };
    }
    const old = index(itemsOf(before));
    const now = index(newItems);
    let changed: MutableFieldSet | undefined;
    let removed: MutableFieldSet | undefined;
    for (const [element, b] of now) {
      const a = old.get(element);
      if (a === undefined) {
        changed ??= {};
        changed[element] = wholeItem(b);
        continue;
      }
      const found = compareItem(a, b, out);
      if (found !== undefined) {
        changed ??= {};
        changed[element] = found;
      }
      if (out.removed !== undefined) {
        removed ??= {};
        removed[element] = out.removed;
      }
    }
    for (const [element, a] of old) {
      if (now.has(element)) continue;
      removed ??= {};
      removed[element] = wholeItem(a);
    }
    out.removed = removed === undefined ? undefined : sorted(removed);
    return changed === undefined ? undefined : sorted(changed);
  };

  return {
    whole: (value) => {
      const list = itemsOf(value);
      if (list.length === 0) return leaf;
      const out: MutableFieldSet = { ".": leaf };
      if (list.length === 1) {
        out[elementOf(list[0])] = item.whole(list[0]);
        return out;
      }
      for (const [element, one] of index(list)) out[element] = wholeItem(one);
      return sorted(out);
    },
    compare,
    applied: (value) => {
      let out: MutableFieldSet | undefined;
      for (const one of itemsOf(value)) {
        out ??= {};
        out[elementOf(one)] = withSelf(item.applied(one));
      }
      return out === undefined ? undefined : sorted(out);
    },
    merge: (live, patch) => mergeKeyed(item, elementOf, live, patch),
    prune: (value, pruning) => {
      if (!Array.isArray(value)) return value;
      const kept: unknown[] = [];
      for (const one of value) {
        const rest = pruneChild(item, elementOf(one), one, pruning, false);
        if (rest !== undefined) kept.push(rest);
      }
      return kept.length === 0 ? undefined : kept;
    },
    typed: (value, path) => typedItems({ item, keys, elementOf }, value, path),
  };
}

/** Merges items by their keys. Their order follows both lists as far as they agree, see {@link mergeLists}. */
function mergeKeyed(item: Walker, elementOf: ElementOf, live: unknown, patch: unknown): unknown {
  if (patch === null) return live ?? null;
  if (!Array.isArray(live) || live.length === 0) return patch;
  const applied = itemsOf(patch);
  const appliedElements = applied.map(elementOf);
  const known = new Set(appliedElements);
  const seen = new Set<string>();
  // If the live list contains an applied item several times, the applied one replaces all of them.
  const present = live.filter((one) => {
    const element = elementOf(one);
    if (!known.has(element)) return true;
    if (seen.has(element)) return false;
    seen.add(element);
    return true;
  });
  return mergeLists(present.map(elementOf), appliedElements, (_element, i, j) => {
    if (j === undefined) return present[i as number];
    return i === undefined ? applied[j] : item.merge(present[i], applied[j]);
  });
}

/**
 * Rejects what would make ownership ambiguous: items that are not objects, that lack all keys, or that have equal keys.
 *
 * @throws TypedError
 */
function typedItems(
  { item, keys, elementOf }: { item: Walker; keys: readonly ListKey[]; elementOf: ElementOf },
  value: unknown,
  path: string,
): unknown {
  if (value === null) return null;
  if (!Array.isArray(value)) throw new TypedError(path, `expected list, got ${describeValue(value)}`);
  const seen = new Set<string>();
  return value.map((one: unknown, i) => {
    if (!isPlain(one)) {
      throw new TypedError(path, `element ${i}: associative list with keys may not have non-map elements`);
    }
    if (keys.every((key) => (getOwn(one, key.name) ?? key.default) === undefined)) {
      const names = keys.map((key) => JSON.stringify(key.name)).join(" ");
      throw new TypedError(
        path,
        `element ${i}: associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
      );
    }
    const element = elementOf(one);
    const shown = `[${keyText(element.slice(2))}]`;
    if (seen.has(element)) throw new TypedError(path, `duplicate entries for key ${shown}`);
    seen.add(element);
    return item.typed(one, path + shown);
  });
}

/** Items of one list that have the same keys. */
class Twins {
  /** Appended in place: a copy for each item would take quadratic time. */
  readonly items: unknown[];

  constructor(first: unknown, second: unknown) {
    this.items = [first, second];
  }
}
