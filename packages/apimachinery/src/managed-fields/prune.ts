import { childOf, type FieldSet, hasChildren, isMember } from "./field-set.ts";
import type { Pruning, Walker } from "./walker.ts";

/**
 * Prunes a child of a value: undefined when it is removed. A child is removed if its applier gave it up and no one
 * else owns it.
 */
export function pruneChild(
  walker: Walker,
  element: string,
  value: unknown,
  pruning: Pruning,
  /** A field of the schema counts as owned as soon as anything below it is. */
  named: boolean,
): unknown {
  const last = childOf(pruning.last, element);
  if (last === undefined) return value;
  const owned = childOf(pruning.owned, element);
  const inLast = isOwned(last, named);
  const underLast = pruning.inLast || inLast;
  const abandoned = pruning.abandoned || (underLast && !(owned !== undefined && isOwned(owned, named)));
  if (inLast && abandoned) return undefined;
  if (!hasChildren(last)) return value;
  return walker.prune(value, { last, owned, inLast: underLast, abandoned });
}

function isOwned(node: FieldSet, named: boolean): boolean {
  return named || isMember(node);
}
