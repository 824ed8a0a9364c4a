import type * as v1beta1 from "@orchernetes/api/admissionregistration/v1beta1";
import { costLimits, type Value } from "@orchernetes/cel";
import type { ExpressionInput } from "../expressions/expression-input.ts";
import type { ExpressionList, ExpressionOutcome, ListOutcome } from "../expressions/expression-list.ts";
import type { CompiledPolicy } from "./compiled-policy.ts";

/** The decision of a validation. */
export type PolicyDecision = { readonly seconds: number } & (
  | { readonly action: "admit"; readonly failed: boolean }
  /** `reason` is empty for a validation that could not be evaluated. */
  | { readonly action: "deny"; readonly message: string; readonly reason: string }
);

/** The result of an audit annotation. */
export type AnnotationResult =
  | { readonly action: "publish"; readonly key: string; readonly value: string }
  | { readonly action: "exclude" }
  /** The value could not be computed, and therefore the write is denied. */
  | { readonly action: "error"; readonly error: string; readonly seconds: number };

/** The decisions of a policy about a write. */
export interface PolicyResult {
  /** One for each validation; none if the match conditions are not met. */
  readonly decisions: readonly PolicyDecision[];
  readonly annotations: readonly AnnotationResult[];
}

const nothing: PolicyResult = { decisions: [], annotations: [] };

/** Maximum length of the message of an expression, in bytes, as upstream. */
const maxMessageBytes = 5 * 1024;

/** Evaluates a policy for one object of parameters, with a budget of its own. */
export async function evaluatePolicy(policy: CompiledPolicy, input: ExpressionInput): Promise<PolicyResult> {
  const evaluation = new PolicyEvaluation(policy, input);
  const matched = await policy.conditions?.evaluate(input);
  if (matched !== undefined && "error" in matched) return evaluation.failedAs(matched.error);
  if (matched?.matches === false) return nothing;
  const validated = await policy.validations.evaluate(input, costLimits.request);
  if ("error" in validated) return evaluation.failedAs(validated.error);
  const messages = await evaluation.messages(validated);
  const decisions = validated.outcomes.flatMap((outcome, i) =>
    outcome === undefined ? [] : [evaluation.decision(outcome, i, messages)],
  );
  const annotated = await policy.annotations?.evaluate(input, costLimits.request);
  if (annotated === undefined) return { decisions, annotations: [] };
  if ("error" in annotated) return evaluation.failedAs(annotated.error);
  return { decisions, annotations: evaluation.annotations(annotated.outcomes) };
}

type Outcomes = Extract<ListOutcome, { readonly outcomes: unknown }>["outcomes"];

class PolicyEvaluation {
  readonly #spec: v1beta1.ValidatingAdmissionPolicySpec;
  readonly #messages: ExpressionList | undefined;
  readonly #input: ExpressionInput;

  constructor({ spec, messages }: CompiledPolicy, input: ExpressionInput) {
    this.#spec = spec;
    this.#messages = messages;
    this.#input = input;
  }

  get #ignoresFailures(): boolean {
    return this.#spec.failurePolicy === "Ignore";
  }

  /** Evaluates the messages of the validations that failed, within the rest of the budget. */
  async messages({ outcomes, remaining }: Extract<ListOutcome, { readonly outcomes: unknown }>): Promise<ListOutcome> {
    const needed = outcomes.some((outcome) => outcome !== undefined && "value" in outcome && outcome.value !== true);
    return !needed || this.#messages === undefined
      ? { outcomes: [], remaining }
      : this.#messages.evaluate(this.#input, remaining);
  }

  decision(outcome: ExpressionOutcome, i: number, messages: ListOutcome): PolicyDecision {
    const { seconds } = outcome;
    if ("error" in outcome) return this.#failure(outcome.error, seconds);
    if (outcome.value === true) return { action: "admit", failed: false, seconds };
    if ("error" in messages) return this.#failure(`failed messageExpression: ${messages.error}`, seconds);
    const { expression = "", message = "", reason } = this.#spec.validations?.[i] ?? {};
    const computed = messages.outcomes[i];
    const own = computed !== undefined && "value" in computed ? messageOf(computed.value) : "";
    return {
      action: "deny",
      message: own || message.trim() || `failed expression: ${expression.trim()}`,
      reason: reason ?? "Invalid",
      seconds,
    };
  }

  annotations(outcomes: Outcomes): readonly AnnotationResult[] {
    return outcomes.flatMap((outcome, i) => {
      const annotation = this.#spec.auditAnnotations?.[i];
      return outcome === undefined || annotation === undefined ? [] : [this.#annotation(annotation.key, outcome)];
    });
  }

  /** Returns the result of a policy that could not be evaluated. */
  failedAs(error: string): PolicyResult {
    return { decisions: [this.#failure(error, 0)], annotations: [] };
  }

  #failure(message: string, seconds: number): PolicyDecision {
    return this.#ignoresFailures
      ? { action: "admit", failed: true, seconds }
      : { action: "deny", message, reason: "", seconds };
  }

  #annotation(key: string, outcome: ExpressionOutcome): AnnotationResult {
    if ("error" in outcome) {
      return this.#ignoresFailures
        ? { action: "exclude" }
        : { action: "error", error: outcome.error, seconds: outcome.seconds };
    }
    const value = typeof outcome.value === "string" ? outcome.value.trim() : "";
    return value === "" ? { action: "exclude" } : { action: "publish", key, value };
  }
}

/** Returns the message of an expression; empty if the value cannot be used as a message. */
function messageOf(value: Value): string {
  const text = typeof value === "string" ? value.trim() : "";
  return text.includes("\n") || Buffer.byteLength(text) > maxMessageBytes ? "" : text;
}
