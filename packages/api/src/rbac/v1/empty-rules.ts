import type { Draft } from "@orchernetes/apimachinery";
import type { PolicyRule } from "./types/common.ts";

/** A role without rules has `null` there, whether its writer left the list out or empty. */
export function dropEmptyRules(role: Draft<{ rules?: readonly PolicyRule[] | null | undefined }>): void {
  if (role.rules?.length === 0) {
    delete role.rules;
  }
}
