import type { ApiObject, Draft, ResourceDefinition } from "@orchernetes/apimachinery";
import { gatedTree, gatedUses } from "./gated-tree.ts";

/** Drops the fields of features that are off. */
export interface DisabledFields {
  /**
   * Shapes a new object, or what an object is about to become. What `old` uses already, of the same feature, stays: an
   * update must not take away what was stored while the feature was on.
   */
  drop(object: Draft<ApiObject>, old: ApiObject | undefined): void;
}

/**
 * The fields to drop from objects of a resource; undefined when it has none, which is most, so that writes of these cost
 * nothing. Features are asked once.
 */
export function disabledFields(
  { schema }: Pick<ResourceDefinition, "schema">,
  featureEnabled: (gate: string) => boolean,
): DisabledFields | undefined {
  const tree = gatedTree(schema, (gate) => !featureEnabled(gate));
  if (tree === undefined) return undefined;
  return {
    drop(object, old) {
      const found = gatedUses(tree, object);
      if (found.length === 0) return;
      const kept = old === undefined ? new Set() : new Set(gatedUses(tree, old).map(({ gate }) => gate));
      for (const { gate, drop } of found) if (!kept.has(gate)) drop();
    },
  };
}
