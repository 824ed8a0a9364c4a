import { quantityOf } from "@orchernetes/apimachinery";
import { type Claim, classNameOf, requestOf, type Volume } from "@orchernetes/component-helpers";
import type { NodeTable } from "../../cache/node-table.ts";
import type { NodeScore } from "../../framework/interfaces.ts";
import { placeClaims } from "../../volumes/place-claims.ts";
import type { Volumes } from "../../volumes/volumes.ts";
import { type ShapePoint, utilizationScore } from "../broken-linear-function.ts";

/** Without a shape, volumes that the claims use well are preferred. */
const DEFAULT_SHAPE: readonly ShapePoint[] = [
  { utilization: 0, score: 0 },
  { utilization: 100, score: 10 },
];

const bytes = (quantity: string): number => quantityOf(quantity).value();

/**
 * Score VolumeBinding, with feature gate VolumeCapacityPriority: how well the claims use the volumes that would be bound to
 * them on a node, as the mean over storage classes.
 */
export function volumeCapacityScore(
  claims: readonly Claim[],
  cluster: Volumes,
  nodes: NodeTable,
  shape: readonly ShapePoint[] = DEFAULT_SHAPE,
): NodeScore {
  const place = placeClaims(claims, cluster);
  const scoreOf = utilizationScore(shape);
  const ofBindings = (bindings: readonly { readonly volume: Volume; readonly claim: Claim }[]): number => {
    const classes = new Map<string, { requested: number; capacity: number }>();
    for (const { volume, claim } of bindings) {
      const name = classNameOf(volume);
      const sum = classes.get(name) ?? { requested: 0, capacity: 0 };
      sum.requested += bytes(requestOf(claim));
      sum.capacity += bytes(volume.spec.capacity?.storage ?? "0");
      classes.set(name, sum);
    }
    if (classes.size === 0) return 0;
    let total = 0;
    for (const { requested, capacity } of classes.values()) total += scoreOf(requested, capacity);
    return Math.round(total / classes.size);
  };
  return (slots, scores) => {
    for (let i = 0; i < slots.length; i++) {
      const node = nodes.nodeAt(slots[i] ?? 0);
      const plan = node === undefined ? "noVolume" : place(node);
      scores[i] = typeof plan === "object" ? ofBindings(plan.bindings) : 0;
    }
  };
}
