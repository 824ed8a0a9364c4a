import { ApiError, type ApiObject, type StatusReason, statusCodes } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext, GroupVersionKind } from "@orchernetes/apiserver";
import type { Authorizer } from "@orchernetes/auth";
import { assertNever, type LongWork, messageOf } from "@orchernetes/kernel";
import type { PolicyMetrics } from "../../metrics/policy-metrics.ts";
import { ExpressionInput } from "../expressions/expression-input.ts";
import type { MatchResult } from "../matching/match-criteria.ts";
import type { Matcher } from "../matching/matcher.ts";
import { versioned } from "../matching/versioned.ts";
import { refusal } from "../shared/attributes.ts";
import { Annotations } from "./annotations.ts";
import { type AnnotationResult, evaluatePolicy, type PolicyDecision } from "./evaluate-policy.ts";
import { paramStore, paramsOf } from "./params.ts";
import type { BoundPolicy, PolicyBinding } from "./policy-index.ts";

/** What policies are enforced with. */
export interface PolicyTools {
  readonly matcher: Matcher;
  /** The authorizer that expressions may ask. */
  readonly authorizer: Authorizer;
  readonly metrics: Pick<PolicyMetrics, "checked">;
  /** Where expressions are evaluated that take long. */
  readonly longWork: LongWork;
}

interface Denial {
  readonly policy: string;
  /** Undefined if the policy itself is not configured well. */
  readonly binding: string | undefined;
  readonly message: string;
  /** "" for what could not be evaluated. */
  readonly reason: string;
}

type Failed = Extract<PolicyDecision, { readonly action: "deny" }>;

/** What policies say about one write. */
export class PolicyRequest {
  readonly #tools: PolicyTools;
  readonly #attributes: AdmissionAttributes;
  readonly #context: AdmissionContext;
  readonly #denials: Denial[] = [];

  constructor(tools: PolicyTools, attributes: AdmissionAttributes, context: AdmissionContext) {
    this.#tools = tools;
    this.#attributes = attributes;
    this.#context = context;
  }

  /**
   * The error of the first denial. All policies are evaluated nevertheless: each may warn, and add to the audit event.
   *
   * @throws ApiError if a policy denies the write
   */
  enforce(): void {
    const [first] = this.#denials;
    if (first === undefined) return;
    const { policy, binding, message, reason } = first;
    const by = binding === undefined ? "" : ` with binding '${binding}'`;
    const text = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${message}`;
    const { status } = refusal(this.#attributes, text);
    const known: StatusReason = isReason(reason) ? reason : "Invalid";
    throw new ApiError({
      ...status,
      reason: known,
      code: statusCodes[known],
      details: { ...status.details, causes: [...(status.details?.causes ?? []), { message: text }] },
    });
  }

  /** Evaluates a policy with each of its bindings. */
  async evaluate(policy: BoundPolicy): Promise<void> {
    let match: MatchResult;
    let params: ReturnType<typeof paramStore> | undefined;
    try {
      match = await this.#tools.matcher.matches(policy.criteria, this.#attributes, this.#context);
      if (!match.matches) return;
      const { paramKind } = policy.spec;
      params = paramKind && paramStore(paramKind, this.#context.registry);
    } catch (error) {
      this.#misconfigured(policy, undefined, error);
      return;
    }
    const annotations = new Annotations();
    for (const binding of policy.bindings) {
      try {
        await this.#evaluateBinding(policy, binding, { kind: match.kind, params, annotations });
      } catch (error) {
        this.#misconfigured(policy, binding, error);
      }
    }
    annotations.publish(policy.name, this.#context.annotate);
  }

  async #evaluateBinding(
    policy: BoundPolicy,
    binding: PolicyBinding,
    parts: {
      readonly kind: GroupVersionKind;
      readonly params: ReturnType<typeof paramStore> | undefined;
      readonly annotations: Annotations;
    },
  ): Promise<void> {
    const { matcher, authorizer, longWork } = this.#tools;
    const { criteria, spec } = binding;
    if (criteria !== undefined && !(await matcher.matches(criteria, this.#attributes, this.#context)).matches) return;
    const params = await paramsOf(parts.params, spec.paramRef, this.#attributes, this.#context);
    if (params.length === 0) return;
    const { object, oldObject } = await this.#versioned(parts.kind);
    const compiled = policy.compiled();
    for (const param of params) {
      const input = new ExpressionInput({
        attributes: { ...this.#attributes, object, oldObject },
        authorizer,
        params: param,
        composed: compiled.composed,
        longWork,
        signal: this.#context.signal,
      });
      const { decisions, annotations } = await evaluatePolicy(compiled, input);
      for (const [i, decision] of decisions.entries()) this.#decided(policy, binding, decision, i);
      for (const annotation of annotations) this.#annotated(policy, binding, annotation, parts.annotations);
    }
  }

  async #versioned(kind: GroupVersionKind): Promise<{
    readonly object: ApiObject | undefined;
    readonly oldObject: ApiObject | undefined;
  }> {
    try {
      return await versioned(this.#attributes, kind, this.#context.registry, this.#context);
    } catch (error) {
      throw new Error(`failed to convert object version: ${messageOf(error)}`, { cause: error });
    }
  }

  #decided(policy: BoundPolicy, binding: PolicyBinding, decision: PolicyDecision, index: number): void {
    const { metrics } = this.#tools;
    if (decision.action === "admit") {
      if (decision.failed) metrics.checked(policy.name, binding.name, "allow", decision.seconds);
      return;
    }
    for (const action of binding.spec.validationActions ?? []) this.#act(action, policy, binding, decision, index);
  }

  #act(
    action: "Deny" | "Warn" | "Audit",
    { name: policy }: BoundPolicy,
    { name: binding, spec }: PolicyBinding,
    { message, reason, seconds }: Failed,
    expressionIndex: number,
  ): void {
    const { checked } = this.#tools.metrics;
    switch (action) {
      case "Deny":
        this.#denials.push({ policy, binding, message, reason });
        checked(policy, binding, "deny", seconds);
        break;
      case "Warn":
        this.#context.warn(
          `Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${binding}': ${message}`,
        );
        checked(policy, binding, "warn", seconds);
        break;
      case "Audit": {
        const { policyName = "", validationActions = [] } = spec;
        const failure = { message, policy: policyName, binding, expressionIndex, validationActions };
        this.#context.annotate("validation.policy.admission.o8s.io/validation_failure", JSON.stringify([failure]));
        checked(policy, binding, "audit", seconds);
        break;
      }
      default:
        assertNever(action);
    }
  }

  #annotated(
    { name: policy }: BoundPolicy,
    { name: binding }: PolicyBinding,
    annotation: AnnotationResult,
    annotations: Annotations,
  ): void {
    switch (annotation.action) {
      case "publish":
        annotations.add(annotation.key, annotation.value);
        break;
      case "error":
        this.#denials.push({ policy, binding, message: annotation.error, reason: "" });
        this.#tools.metrics.checked(policy, binding, "deny", annotation.seconds);
        break;
      case "exclude":
        break;
      default:
        assertNever(annotation);
    }
  }

  /** A policy or binding that cannot be evaluated denies, whatever the actions of the binding, unless failures are to be ignored. */
  #misconfigured(policy: BoundPolicy, binding: PolicyBinding | undefined, error: unknown): void {
    this.#context.signal.throwIfAborted();
    if (policy.spec.failurePolicy === "Ignore") return;
    const what = binding === undefined ? "policy" : "binding";
    const message = `failed to configure ${what}: ${messageOf(error)}`;
    this.#denials.push({ policy: policy.name, binding: binding?.name, message, reason: "" });
  }
}

const isReason = (text: string): text is StatusReason => Object.hasOwn(statusCodes, text);
