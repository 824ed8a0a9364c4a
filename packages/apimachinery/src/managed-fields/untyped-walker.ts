import { equalJson } from "../patch/json-value.ts";
import { leaf, withSelf } from "./field-set.ts";
import { mapWalker } from "./map-walker.ts";
import { isPlain, type Walker } from "./walker.ts";

/**
 * The walker of JSON without a schema: objects are owned key by key, lists and scalars as a whole. A value whose type
 * changes is owned as a whole.
 */
export function untypedWalker(): Walker {
  const self: Walker = {
    whole: (value) => (isPlain(value) ? map.whole(value) : leaf),
    compare: (before, after, out) => {
      if (isPlain(before) && isPlain(after)) return map.compare(before, after, out);
      // Everything in a former object is removed with it.
      out.removed = isPlain(before) ? map.whole(before) : undefined;
      return equalJson(before, after) ? undefined : leaf;
    },
    applied: (value) => (isPlain(value) ? map.applied(value) : leaf),
    merge: (live, patch) => (isPlain(live) && isPlain(patch) ? map.merge(live, patch) : patch),
    prune: (value, pruning) => (isPlain(value) ? map.prune(value, pruning) : value),
    typed: (value) => value,
  };
  const map = mapWalker({
    ...self,
    applied: (value) => (isPlain(value) ? withSelf(map.applied(value)) : leaf),
  });
  return self;
}
