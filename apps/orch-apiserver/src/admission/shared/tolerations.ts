import type { core } from "@orchernetes/api";
import { isSame } from "./is-same.ts";

/** Whether `wide` tolerates whatever `narrow` does. */
export function covers(wide: core.Toleration, narrow: core.Toleration): boolean {
  if (isSame(wide, narrow)) return true;
  if ((narrow.key ?? "") !== (wide.key ?? "") && (wide.key || wide.operator !== "Exists")) return false;
  if (wide.effect && narrow.effect !== wide.effect) return false;
  if (wide.effect === "NoExecute" && wide.tolerationSeconds !== undefined)
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > wide.tolerationSeconds) return false;
  if (wide.operator === "Exists") return true;
  return narrow.operator === "Equal" && (narrow.value ?? "") === (wide.value ?? "");
}

/** Both lists as one, without tolerations that others cover; of equal ones the first stays. */
export function mergeTolerations(
  first: readonly core.Toleration[],
  second: readonly core.Toleration[],
): core.Toleration[] {
  const all = [...first, ...second];
  const merged: core.Toleration[] = [];
  for (const [index, one] of all.entries()) {
    const later = all.slice(index + 1).some((other) => !isSame(one, other) && covers(other, one));
    if (!later && !merged.some((other) => covers(other, one))) merged.push(one);
  }
  return merged;
}
