import type * as v1beta1 from "@orchernetes/api/admissionregistration/v1beta1";
import { type AdmissionVariables, admissionEnvironment, compileAdmission, dynType, type Type } from "@orchernetes/cel";
import type { ExpressionMetrics } from "../../metrics/expression-metrics.ts";
import type { ComposedExpressions } from "../expressions/composed-values.ts";
import { ExpressionList } from "../expressions/expression-list.ts";
import { compileMatchConditions, type MatchConditions } from "../expressions/match-conditions.ts";

/** The expressions of a policy. */
export interface CompiledPolicy {
  readonly spec: v1beta1.ValidatingAdmissionPolicySpec;
  /** Undefined if it has none. */
  readonly conditions: MatchConditions | undefined;
  readonly validations: ExpressionList;
  /** The messages of the validations; undefined if none has an expression. */
  readonly messages: ExpressionList | undefined;
  readonly annotations: ExpressionList | undefined;
  readonly composed: ComposedExpressions;
}

/** Measures expressions and counts failures of match conditions. */
export interface PolicyObserver {
  readonly expressions: ExpressionMetrics;
  /** @param name name of the policy */
  readonly conditionFailed: (name: string) => void;
}

/** Compiles the expressions of a policy. An expression that does not compile, such as one that another server accepted, fails at evaluation. */
export function compilePolicy(
  name: string,
  spec: v1beta1.ValidatingAdmissionPolicySpec,
  { expressions, conditionFailed }: PolicyObserver,
): CompiledPolicy {
  const params = spec.paramKind === undefined ? undefined : dynType;
  const { validations = [], auditAnnotations = [], matchConditions = [], failurePolicy } = spec;
  const { types, composed } = composedOf(spec, params);
  const variables: AdmissionVariables = { params, authorizer: true, composed: types };
  const hasMessages = validations.some(({ messageExpression }) => messageExpression);
  return {
    spec,
    composed,
    conditions:
      matchConditions.length === 0
        ? undefined
        : compileMatchConditions(matchConditions, {
            failurePolicy,
            params: params !== undefined,
            onFailure: () => conditionFailed(name),
            metrics: expressions,
          }),
    validations: new ExpressionList(
      validations.map(({ expression }) => ({ expression, result: "bool" })),
      variables,
      expressions,
    ),
    messages: hasMessages
      ? new ExpressionList(
          validations.map(({ messageExpression }) =>
            messageExpression ? { expression: messageExpression, result: "string" } : undefined,
          ),
          { ...variables, authorizer: false },
          expressions,
        )
      : undefined,
    annotations:
      auditAnnotations.length === 0
        ? undefined
        : new ExpressionList(
            auditAnnotations.map(({ valueExpression }) => ({ expression: valueExpression, result: "stringOrNull" })),
            variables,
            expressions,
          ),
  };
}

/** Compiles the variables of a policy. Each may use those before it. */
function composedOf(
  spec: Pick<v1beta1.ValidatingAdmissionPolicySpec, "variables">,
  params: Type | undefined,
): { readonly types: ReadonlyMap<string, Type> | undefined; readonly composed: ComposedExpressions } {
  // Stored as null where there are none.
  const variables: v1beta1.ValidatingAdmissionPolicySpec["variables"] = spec.variables ?? [];
  const types = new Map<string, Type>();
  const composed = new Map<string, ReturnType<typeof compileAdmission>>();
  for (const { name, expression } of variables) {
    const scope = admissionEnvironment({ params, authorizer: true, composed: types });
    const compiled = compileAdmission(expression, "any", scope);
    types.set(name, typeof compiled === "string" ? dynType : compiled.type);
    composed.set(name, compiled);
  }
  return { types: variables.length === 0 ? undefined : types, composed };
}
