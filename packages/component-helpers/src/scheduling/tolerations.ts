import type { core } from "@orchernetes/api";

/**
 * Whether a toleration covers a taint. An empty effect covers every effect, an empty key every key; the operator is
 * `Equal` unless another is given. Source: `Toleration.ToleratesTaint` of core/v1.
 */
export function toleratesTaint(toleration: core.Toleration, taint: core.Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  switch (toleration.operator || "Equal") {
    case "Exists":
      return true;
    case "Equal":
      return (toleration.value ?? "") === (taint.value ?? "");
    default:
      return false;
  }
}

/** Whether one of the tolerations covers the taint. */
export function tolerationsTolerate(tolerations: readonly core.Toleration[] | undefined, taint: core.Taint): boolean {
  return tolerations?.some((toleration) => toleratesTaint(toleration, taint)) ?? false;
}

/** What a taint does to pods that do not tolerate it. */
export type TaintEffect = core.Taint["effect"];

/** The effects that keep pods off a node; `PreferNoSchedule` only makes it less attractive. */
export const repellingEffects: readonly TaintEffect[] = ["NoSchedule", "NoExecute"];

/** With as many tolerations, comparing each of them with each taint takes longer than an index. */
const INDEXED_FROM = 16;

/** A text for each different combination. Lengths keep the parts apart. */
const textOf = (key: string, effect: string, value: string): string =>
  `${key.length}:${key}${effect.length}:${effect}${value}`;

/** {@link tolerationsTolerate} for many taints, in a time that does not grow with the number of tolerations. */
function indexed(tolerations: readonly core.Toleration[]): (taint: core.Taint) => boolean {
  const equal = new Set<string>();
  const exists = new Set<string>();
  for (const { key, effect, operator, value } of tolerations) {
    if (operator === "Exists") exists.add(textOf(key ?? "", effect ?? "", ""));
    else if (!operator || operator === "Equal") equal.add(textOf(key ?? "", effect ?? "", value ?? ""));
  }
  return ({ key, effect, value }) => {
    for (const k of [key, ""])
      for (const e of [effect, ""])
        if (exists.has(textOf(k, e, "")) || equal.has(textOf(k, e, value ?? ""))) return true;
    return false;
  };
}

/** The taints with one of the effects that no toleration covers, in the order of the taints. */
export function untoleratedTaints(
  taints: readonly core.Taint[] | undefined,
  tolerations: readonly core.Toleration[] | undefined,
  effects: readonly TaintEffect[],
): readonly core.Taint[] {
  const compared = (taints ?? []).filter(({ effect }) => effects.includes(effect));
  if (compared.length === 0) return compared;
  const isTolerated =
    tolerations !== undefined && Math.min(tolerations.length, compared.length) >= INDEXED_FROM
      ? indexed(tolerations)
      : (taint: core.Taint) => tolerationsTolerate(tolerations, taint);
  return compared.filter((taint) => !isTolerated(taint));
}

/**
 * For how long a pod stays on a node with these NoExecute taints, in milliseconds: 0 when a taint is not tolerated,
 * undefined for ever. The first toleration that covers a taint counts for it, and the shortest of those for the pod.
 */
export function tolerationPeriodMs(
  tolerations: readonly core.Toleration[] | undefined,
  taints: readonly core.Taint[],
): number | undefined {
  let shortest: number | undefined;
  for (const taint of taints) {
    const covering = tolerations?.find((toleration) => toleratesTaint(toleration, taint));
    if (covering === undefined) return 0;
    const { tolerationSeconds } = covering;
    if (tolerationSeconds === undefined) continue;
    if (tolerationSeconds <= 0) return 0;
    shortest = Math.min(shortest ?? Number.POSITIVE_INFINITY, tolerationSeconds * 1000);
  }
  return shortest;
}
