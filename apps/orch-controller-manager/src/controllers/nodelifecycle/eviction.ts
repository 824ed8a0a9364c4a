import { core } from "@orchernetes/api";

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
    const matching = (tolerations ?? []).filter((toleration) => core.toleratesTaint(toleration, taint));
    if (matching.length === 0) return 0;
    for (const { tolerationSeconds } of matching) {
      if (tolerationSeconds === undefined) continue;
      if (tolerationSeconds <= 0) return 0;
      shortest = Math.min(shortest ?? Number.POSITIVE_INFINITY, tolerationSeconds * 1000);
    }
  }
  return shortest;
}
