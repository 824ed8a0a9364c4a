import { setOwn } from "../codec/json.ts";
import { type FieldSet, leaf, type MutableFieldSet, sorted, withSelf } from "./field-set.ts";
import { pruneChild } from "./prune.ts";
import { type Comparison, describeValue, isPlain, objectOf, TypedError, type Walker } from "./walker.ts";

/**
 * The walker of a map whose entries are owned individually. Keys of any name become elements `f:name`, so no name has
 * a special meaning.
 */
export function mapWalker(item: Walker): Walker {
  // The map itself is an element, too (`.`): whoever adds it owns it beside its entries.
  const whole = (value: unknown): FieldSet => {
    const source = objectOf(value);
    let out: MutableFieldSet | undefined;
    for (const key in source) {
      out ??= { ".": leaf };
      out[`f:${key}`] = item.whole(source[key]);
    }
    return out === undefined ? leaf : sorted(out);
  };

  const compare = (before: unknown, after: unknown, out: Comparison): FieldSet | undefined => {
    const old = objectOf(before);
    const now = objectOf(after);
    let changed: MutableFieldSet | undefined;
    let removed: MutableFieldSet | undefined;
    for (const key in now) {
      const b = now[key];
      if (Object.hasOwn(old, key)) {
        const a = old[key];
        // Updates share the unchanged parts of the object, so most members end here.
        if (a === b) continue;
        const found = item.compare(a, b, out);
        if (found !== undefined) {
          changed ??= {};
          changed[`f:${key}`] = found;
        }
        if (out.removed !== undefined) {
          removed ??= {};
          removed[`f:${key}`] = out.removed;
        }
      } else {
        changed ??= {};
        changed[`f:${key}`] = item.whole(b);
      }
    }
    // JSON members are in the order of writing, and elements of a FieldSet are sorted, so the results must be sorted.
    for (const key in old) {
      if (Object.hasOwn(now, key)) continue;
      removed ??= {};
      removed[`f:${key}`] = item.whole(old[key]);
    }
    out.removed = removed === undefined ? undefined : sorted(removed);
    return changed === undefined ? undefined : sorted(changed);
  };

  return {
    whole,
    compare,
    applied: (value) => {
      const source = objectOf(value);
      let out: MutableFieldSet | undefined;
      for (const key in source) {
        out ??= {};
        // Each entry that is applied is owned as an entry, so that giving it up removes it, not only what is in it.
        out[`f:${key}`] = withSelf(source[key] === null ? undefined : item.applied(source[key]));
      }
      return out === undefined ? undefined : sorted(out);
    },
    merge: (live, patch) => {
      // An applied null requests ownership of the map, not its removal: apply removes only what its owner gives up.
      if (patch === null) return live ?? null;
      if (!isPlain(live)) return patch;
      const source = objectOf(patch);
      const out: Record<string, unknown> = {};
      // `setOwn`, because a key may be "__proto__".
      for (const key in live) setOwn(out, key, live[key]);
      for (const key in source) {
        setOwn(out, key, item.merge(Object.hasOwn(live, key) ? live[key] : undefined, source[key]));
      }
      return out;
    },
    prune: (value, pruning) => {
      if (!isPlain(value)) return value;
      const out: Record<string, unknown> = {};
      let some = false;
      for (const key in value) {
        const kept = pruneChild(item, `f:${key}`, value[key], pruning, false);
        if (kept === undefined) continue;
        setOwn(out, key, kept);
        some = true;
      }
      return some ? out : undefined;
    },
    typed: (value, path) => {
      if (value === null) return null;
      if (!isPlain(value)) throw new TypedError(path, `expected map, got ${describeValue(value)}`);
      const out: Record<string, unknown> = {};
      for (const key in value) setOwn(out, key, item.typed(value[key], `${path}.${key}`));
      return out;
    },
  };
}
