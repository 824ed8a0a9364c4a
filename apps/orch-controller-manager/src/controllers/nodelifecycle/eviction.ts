import type { core } from "@orchernetes/api";

/** Whether a toleration covers a taint. */
export function tolerates(toleration: core.Toleration, taint: core.Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  switch (toleration.operator || "Equal") {
    case "Exists":
      return true;
    case "Equal":
      return Boolean(toleration.key) && (toleration.value ?? "") === (taint.value ?? "");
    default:
      return false;
  }
}

/**
 * When a pod must leave a node with these NoExecute taints: at once (0), after this many milliseconds, or never (undefined).
 * Each taint must be tolerated; the shortest toleration counts.
 */
export function evictionDelayMs(
  tolerations: readonly core.Toleration[] | undefined,
  taints: readonly core.Taint[],
): number | undefined {
  let shortest: number | undefined;
  for (const taint of taints) {
    const matching = (tolerations ?? []).filter((toleration) => tolerates(toleration, taint));
    if (matching.length === 0) return 0;
    for (const { tolerationSeconds } of matching) {
      if (tolerationSeconds === undefined) continue;
      if (tolerationSeconds <= 0) return 0;
      shortest = Math.min(shortest ?? Number.POSITIVE_INFINITY, tolerationSeconds * 1000);
    }
  }
  return shortest;
}
