import { type ApiObject, timeoutError } from "@orchernetes/apimachinery";
import type { AdmissionAttributes } from "@orchernetes/apiserver";
import type { Authorizer } from "@orchernetes/auth";
import {
  authorizerValue,
  bind,
  bindAny,
  type CompiledExpression,
  costLimits,
  type Evaluation,
  Failure,
  type Outcome,
  requestDeclaration,
  requestResourceValue,
} from "@orchernetes/cel";
import type { LongWork } from "@orchernetes/kernel";
import { AccessDecisions } from "./access-decisions.ts";
import { type ComposedExpressions, ComposedValues } from "./composed-values.ts";

/** What expressions see of a write. `object` and `oldObject` are in the version that the hook or policy wants. */
export type ExpressionAttributes = Omit<AdmissionAttributes, "definition">;

/** Options of {@link ExpressionInput}. */
export interface ExpressionInputOptions {
  readonly attributes: ExpressionAttributes;
  /** The authorizers behind variable `authorizer`. */
  readonly authorizer: Authorizer;
  /** The object with the parameters; `params` is null without it. */
  readonly params?: ApiObject | undefined;
  /** The fields of `variables`. @default none */
  readonly composed?: ComposedExpressions | undefined;
  /** Where expressions are evaluated that take long. */
  readonly longWork: LongWork;
  /** Aborted when nobody waits for the result any more. */
  readonly signal: AbortSignal;
}

/** Values of the variables of expressions about one write. What they are bound to is read when an expression asks for it. */
export class ExpressionInput {
  readonly #values: ReadonlyMap<string, Outcome>;
  readonly #access: AccessDecisions;
  readonly #composed: ComposedValues;
  readonly #longWork: LongWork;
  readonly #signal: AbortSignal;

  constructor({ attributes, authorizer, params, composed = new Map(), longWork, signal }: ExpressionInputOptions) {
    this.#longWork = longWork;
    this.#signal = signal;
    this.#access = new AccessDecisions(authorizer, attributes.user);
    const { authorize } = this.#access;
    const { resource, subresource, namespace, name } = attributes;
    const access = { group: resource.group, resource: resource.resource, subresource, namespace, name };
    const values = new Map<string, Outcome>([
      ["object", bindAny(attributes.object)],
      ["oldObject", bindAny(attributes.oldObject)],
      ["params", bindAny(params)],
      ["request", bind(requestOf(attributes), requestDeclaration)],
      ["authorizer", authorizerValue(authorize)],
      ["authorizer.requestResource", requestResourceValue(authorize, access)],
    ]);
    this.#composed = new ComposedValues(composed, values);
    this.#values = values.set("variables", this.#composed);
  }

  /**
   * Evaluates an expression. Where authorizers take their time, it is evaluated again when they have decided; the cost is that of the
   * last time, with the variables that it was the first to read.
   *
   * @param budget what may be left to spend; the expression ends above the limit of one evaluation in any case
   * @throws ApiError Timeout if the signal is aborted while an expression is evaluated that takes long
   */
  async evaluate(expression: CompiledExpression, budget: number): Promise<Evaluation> {
    this.#composed.allow(budget);
    for (;;) {
      const evaluation =
        expression.evaluateQuickly(this.#values, costLimits.call) ??
        (await this.#longWork.run(expression.evaluateInSteps(this.#values, costLimits.call), this.#signal));
      if (evaluation.interrupted === true) throw timeoutError("request did not complete within requested timeout");
      const { outcome, exceeded, cost } = evaluation;
      if (!(outcome instanceof Failure) || exceeded || !this.#access.areWaiting)
        return { ...evaluation, cost: cost + this.#composed.cost };
      await this.#access.settle();
      this.#composed.forgetFailures();
    }
  }
}

/** The value without what is empty, as it is left out of an AdmissionRequest in JSON. */
const given = (name: string, value: string): object => (value === "" ? {} : { [name]: value });

function requestOf(attributes: ExpressionAttributes): object {
  const { kind, resource, subresource, name, namespace, operation, user, dryRun, options } = attributes;
  return {
    kind,
    resource,
    ...given("subResource", subresource),
    requestKind: kind,
    requestResource: resource,
    ...given("requestSubResource", subresource),
    ...given("name", name),
    ...given("namespace", namespace),
    operation,
    userInfo: {
      ...given("username", user.name),
      ...given("uid", user.uid ?? ""),
      ...(user.groups.length > 0 && { groups: user.groups }),
      ...(Object.keys(user.extra).length > 0 && { extra: user.extra }),
    },
    dryRun,
    options,
  };
}
