import type { ApiObject, Draft, ResourceDefinition } from "@orchernetes/apimachinery";
import { gatedTree, gatedUses } from "./gated-tree.ts";

/** Drops the fields of disabled features from objects. */
export interface DisabledFields {
  /**
   * Drops fields from `object` in place, before it is validated. If `old`, the stored object, uses a feature already,
   * its fields stay: an update must not remove what was stored while the feature was enabled, or clients would lose
   * data when a gate is switched off for a while (API changes guide, "Adding unstable features to stable versions").
   */
  drop(object: Draft<ApiObject>, old: ApiObject | undefined): void;
}

/**
 * Finds the fields of disabled features in a resource's types. Returns undefined if there are none, as in most
 * resources, so that their writes cost nothing. Gates are looked up once, not per write.
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
