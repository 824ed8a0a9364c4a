import type { core } from "@orchernetes/api";

/** Whether a toleration covers a taint. An empty key with Exists covers every taint, an empty effect every effect. */
export function tolerates(toleration: core.Toleration, taint: core.Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  switch (toleration.operator ?? "Equal") {
    case "Exists":
      return true;
    case "Equal":
      return Boolean(toleration.key) && (toleration.value ?? "") === (taint.value ?? "");
    default:
      return false;
  }
}
