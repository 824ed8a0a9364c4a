import { costLimits, dynType } from "@orchernetes/cel";
import type { ExpressionMetrics } from "../../metrics/expression-metrics.ts";
import type { ExpressionInput } from "./expression-input.ts";
import { ExpressionList } from "./expression-list.ts";

/** A named expression that must be true of a write. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** Whether a hook or policy is about a write by its match conditions. */
type ConditionsOutcome =
  | { readonly matches: true }
  /** `condition` is the name of one that is false; undefined where one failed and the policy is to ignore that. */
  | { readonly matches: false; readonly condition?: string }
  /** A condition failed, and so does the write. */
  | { readonly error: string };

/** Options of {@link compileMatchConditions}. */
export interface MatchConditionOptions {
  /** What becomes of a write if a condition fails. @default "Fail" */
  readonly failurePolicy?: string | undefined;
  /** Whether the conditions may read `params`. @default false */
  readonly params?: boolean;
  /** Called for each condition that fails. */
  readonly onFailure?: () => void;
  readonly metrics?: ExpressionMetrics | undefined;
}

/** Compiled match conditions. */
export interface MatchConditions {
  /** All true: it matches; one false: it does not, even if others fail. */
  evaluate(input: ExpressionInput): Promise<ConditionsOutcome>;
}

/** Compiles match conditions, once for each generation of their object. One that does not compile fails whenever it is evaluated. */
export function compileMatchConditions(
  conditions: readonly MatchCondition[],
  { failurePolicy, params = false, onFailure, metrics }: MatchConditionOptions = {},
): MatchConditions {
  const list = new ExpressionList(
    conditions.map(({ expression }) => ({ expression, result: "bool" })),
    { authorizer: true, params: params ? dynType : undefined },
    metrics,
  );
  const failed = (error: string): ConditionsOutcome => (failurePolicy === "Ignore" ? { matches: false } : { error });
  return {
    async evaluate(input) {
      const evaluated = await list.evaluate(input, costLimits.matchConditions);
      if ("error" in evaluated) return failed(evaluated.error);
      const errors: string[] = [];
      for (const [i, outcome] of evaluated.outcomes.entries()) {
        if (outcome === undefined) continue;
        if ("error" in outcome) {
          onFailure?.();
          errors.push(outcome.error);
        } else if (outcome.value !== true) return { matches: false, condition: conditions[i]?.name ?? "" };
      }
      return errors.length === 0 ? { matches: true } : failed(joined(errors));
    },
  };
}

/** Several errors as one text, each once. */
function joined(errors: readonly string[]): string {
  const different = [...new Set(errors)];
  return different.length === 1 ? (different[0] ?? "") : `[${different.join(", ")}]`;
}
