import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { noPlan, type Plan } from "@orchernetes/controller";

/** Annotation with the seconds for which a node may cache the objects of its pods. */
export const ttlAnnotation = "node.alpha.orchernetes.io/ttl";

/** Everything that determines the annotation of a node. */
export interface TtlState {
  readonly node: Pick<Stored<core.Node>, "metadata">;
  readonly ttlSeconds: number;
}

/** A write of the controller. */
export type TtlAction = { readonly type: "Annotate"; readonly ttlSeconds: number };

/** Annotates the node, unless it has the annotation with this number. Pure. */
export function reconcile({ node, ttlSeconds }: TtlState): Plan<TtlAction> {
  const text = node.metadata.annotations?.[ttlAnnotation] ?? "";
  // Any notation of the number will do, as in the original.
  if (/^[+-]?[0-9]+$/.test(text) && Number(text) === ttlSeconds) return noPlan;
  return { actions: [{ type: "Annotate", ttlSeconds }] };
}
