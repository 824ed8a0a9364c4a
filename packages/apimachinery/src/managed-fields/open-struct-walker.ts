import { setOwn } from "../codec/json.ts";
import { type FieldSet, unionNodes } from "./field-set.ts";
import { mapWalker } from "./map-walker.ts";
import { pruneChild } from "./prune.ts";
import { type Comparison, isPlain, objectOf, type Plain, type Walker } from "./walker.ts";

/**
 * The walker of a struct that may have members beside its fields: these are owned like the entries of a map.
 *
 * @param struct walks the fields
 * @param names names of the fields
 * @param rest walks the value of each other member
 */
export function openStructWalker(struct: Walker, names: ReadonlySet<string>, rest: Walker): Walker {
  const others = mapWalker(rest);

  const part = (value: unknown, named: boolean): Plain => {
    const source = objectOf(value);
    const out: Record<string, unknown> = {};
    for (const key of Object.keys(source)) if (names.has(key) === named) setOwn(out, key, source[key]);
    return out;
  };
  const restOf = (value: unknown): Plain => part(value, false);
  const isEmpty = (value: Plain): boolean => Object.keys(value).length === 0;

  return {
    whole: (value) => {
      const more = restOf(value);
      const own = struct.whole(value);
      return isEmpty(more) ? own : unionNodes(own, others.whole(more));
    },
    compare: (before, after, out) => {
      const changed = struct.compare(before, after, out);
      const { removed } = out;
      const more: Comparison = { removed: undefined };
      const otherChanges = others.compare(restOf(before), restOf(after), more);
      out.removed = both(removed, more.removed);
      return both(changed, otherChanges);
    },
    applied: (value) => {
      const more = restOf(value);
      return isEmpty(more) ? struct.applied(value) : both(struct.applied(value), others.applied(more));
    },
    merge: (live, patch) => {
      if (patch === null || !isPlain(live)) return struct.merge(live, patch);
      const out = { ...(struct.merge(live, part(patch, true)) as Plain) };
      const more = restOf(patch);
      for (const key of Object.keys(more)) {
        setOwn(out, key, rest.merge(Object.hasOwn(live, key) ? live[key] : undefined, more[key]));
      }
      return out;
    },
    prune: (value, pruning) => {
      if (!isPlain(value)) return value;
      const kept = struct.prune(part(value, true), pruning);
      const out: Record<string, unknown> = { ...objectOf(kept) };
      let some = kept !== undefined;
      for (const [key, item] of Object.entries(restOf(value))) {
        const left = pruneChild(rest, `f:${key}`, item, pruning, false);
        if (left === undefined) continue;
        setOwn(out, key, left);
        some = true;
      }
      return some ? out : undefined;
    },
    typed: (value, path) => {
      if (!isPlain(value)) return struct.typed(value, path);
      const out = { ...(struct.typed(part(value, true), path) as Plain) };
      for (const [key, item] of Object.entries(restOf(value))) setOwn(out, key, rest.typed(item, `${path}.${key}`));
      return out;
    },
  };
}

function both(a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return unionNodes(a, b);
}
