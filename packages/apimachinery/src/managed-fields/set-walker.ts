import {
  type FieldSet,
  keyText,
  leaf,
  type MutableFieldSet,
  maxElements,
  sorted,
  tooManyElements,
} from "./field-set.ts";
import { mergeLists } from "./merge-lists.ts";
import { pruneChild } from "./prune.ts";
import { describeValue, TypedError, type Walker } from "./walker.ts";

/** The path element of a member: `v:` and its JSON, as in `metadata.managedFields`. */
const elementOf = (value: unknown): string => `v:${JSON.stringify(value)}`;

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The walker of a list whose values are owned individually, regardless of their position. */
export function setWalker(item: Walker): Walker {
  /**
   * The elements of all members.
   *
   * @param self adds the list itself (`.`), as in {@link Walker.whole}
   */
  const members = (value: unknown, self = false): MutableFieldSet | undefined => {
    let out: MutableFieldSet | undefined;
    let count = 0;
    let last: unknown;
    for (const one of itemsOf(value)) {
      // Attackers send lists that repeat one value: each repetition costs one comparison.
      if (one === last && out !== undefined) continue;
      last = one;
      out ??= self ? { ".": leaf } : {};
      const element = elementOf(one);
      if (out[element] === leaf) continue;
      out[element] = leaf;
      // Skips the rest, which is the slowest part, for lists that are rejected anyway.
      if (++count > maxElements) throw tooManyElements(count);
    }
    return out;
  };

  /** The elements of `from` that `other` lacks. */
  const missing = (from: MutableFieldSet | undefined, other: MutableFieldSet | undefined): FieldSet | undefined => {
    let out: MutableFieldSet | undefined;
    for (const element in from) {
      if (other !== undefined && Object.hasOwn(other, element)) continue;
      out ??= {};
      out[element] = leaf;
    }
    return out === undefined ? undefined : sorted(out);
  };

  return {
    whole: (value) => {
      const found = members(value, true);
      return found === undefined ? leaf : sorted(found);
    },
    compare: (before, after, out) => {
      const old = members(before);
      const now = members(after);
      out.removed = missing(old, now);
      return missing(now, old);
    },
    applied: (value) => {
      const found = members(value);
      return found === undefined ? undefined : sorted(found);
    },
    merge: (live, patch) => {
      if (patch === null) return live ?? null;
      if (!Array.isArray(live) || live.length === 0) return patch;
      const applied = itemsOf(patch);
      return mergeLists(live.map(elementOf), applied.map(elementOf), (_element, i, j) =>
        // Members are equal if their elements are, so either could be used; the applied one is already canonical.
        j === undefined ? live[i as number] : applied[j],
      );
    },
    prune: (value, pruning) => {
      if (!Array.isArray(value)) return value;
      const kept = value.filter((one) => pruneChild(item, elementOf(one), one, pruning, false) !== undefined);
      return kept.length === 0 ? undefined : kept;
    },
    typed: (value, path) => {
      if (value === null) return null;
      if (!Array.isArray(value)) throw new TypedError(path, `expected list, got ${describeValue(value)}`);
      const seen = new Set<string>();
      return value.map((one: unknown, i) => {
        if (one === null) throw new TypedError(path, `element ${i}: an associative list has a null element`);
        const typed = item.typed(one, `${path}[${i}]`);
        const element = elementOf(typed);
        if (seen.has(element)) {
          throw new TypedError(path, `duplicate entries for key [=${keyText(element.slice(2))}]`);
        }
        seen.add(element);
        return typed;
      });
    },
  };
}
