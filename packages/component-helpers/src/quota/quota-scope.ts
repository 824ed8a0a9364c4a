import type { core } from "@orchernetes/api";

/** One condition under which a quota counts an object. */
export interface QuotaScope {
  readonly name: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values: readonly string[];
}

/** The conditions of a quota, all of which an object must meet to be counted: its `scopes` and its `scopeSelector`. */
export function quotaScopes({ scopes, scopeSelector }: core.ResourceQuotaSpec): readonly QuotaScope[] {
  return [
    ...(scopes ?? []).map((name): QuotaScope => ({ name, operator: "Exists", values: [] })),
    ...(scopeSelector?.matchExpressions ?? []).map(
      ({ scopeName, operator, values }): QuotaScope => ({ name: scopeName, operator, values: values ?? [] }),
    ),
  ];
}
