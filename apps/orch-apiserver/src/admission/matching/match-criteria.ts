import type { LabelSelector } from "@orchernetes/apimachinery";
import type { GroupVersionKind, GroupVersionResource } from "@orchernetes/apiserver";
import type { RuleWithOperations } from "./rules.ts";

/**
 * The writes that a webhook or policy applies to. Values that are computed from criteria are cached by identity, so criteria must not be
 * changed.
 */
export interface MatchCriteria {
  /** Labels of the object's namespace. Absent or null selects nothing, `{}` everything. */
  readonly namespaceSelector: LabelSelector | null | undefined;
  /** Labels of the object or of the stored one. Absent or null selects nothing, `{}` everything. */
  readonly objectSelector: LabelSelector | null | undefined;
  /** Absent or empty: all resources. */
  readonly resourceRules?: readonly RuleWithOperations[] | undefined;
  /** Exceptions from the rules. */
  readonly excludeResourceRules?: readonly RuleWithOperations[] | undefined;
  /** `Equivalent`: rules that name another version of the resource match as well. @default `Exact` */
  readonly matchPolicy?: string | null | undefined;
}

/** Whether criteria match, and in which form the hook or policy wants to see the objects. */
export type MatchResult =
  | { readonly matches: false }
  | {
      readonly matches: true;
      /** Kind to which object and old object are converted. */
      readonly kind: GroupVersionKind;
      readonly resource: GroupVersionResource;
    };
