import { forbidden } from "@orchernetes/apimachinery";
import type { AdmissionAttributes } from "@orchernetes/apiserver";
import type { Authorizer } from "@orchernetes/auth";
import { LongWork, systemEventLoop } from "@orchernetes/kernel";
import type { ExpressionMetrics } from "../../metrics/expression-metrics.ts";
import { ExpressionInput } from "../expressions/expression-input.ts";
import { compileMatchConditions, type MatchConditions } from "../expressions/match-conditions.ts";
import { namespaceOf } from "../matching/selectors.ts";
import type { VersionedAttributes } from "../matching/versioned.ts";
import { groupResource } from "../shared/attributes.ts";
import type { Webhook } from "./webhook.ts";

/** Options of {@link WebhookConditions}. */
export interface WebhookConditionsOptions {
  /** The authorizer that expressions may ask. */
  readonly authorizer: Authorizer;
  readonly metrics: ExpressionMetrics;
  /** Called for each condition of a webhook that fails. */
  readonly onFailure: (webhook: string) => void;
}

/** Evaluates the match conditions of webhooks; those of one are compiled when they are first needed. */
export class WebhookConditions {
  readonly #options: WebhookConditionsOptions;
  readonly #longWork = new LongWork(systemEventLoop);
  readonly #compiled = new WeakMap<Webhook, MatchConditions>();

  constructor(options: WebhookConditionsOptions) {
    this.#options = options;
  }

  /**
   * Whether a webhook is to be called for a write.
   *
   * @param written gives the write in the version that the webhook wants; called only if there are conditions
   * @param signal aborted when nobody waits for the answer any more
   * @throws ApiError Forbidden when a condition fails, and the failure of the webhook is not to be ignored
   */
  async areMet(webhook: Webhook, written: () => Promise<VersionedAttributes>, signal: AbortSignal): Promise<boolean> {
    if (webhook.matchConditions.length === 0) return true;
    const { attributes, object, oldObject } = await written();
    const namespace = namespaceOf(attributes);
    const seen: AdmissionAttributes = { ...attributes, namespace, object, oldObject };
    const { authorizer } = this.#options;
    const input = new ExpressionInput({ attributes: seen, authorizer, longWork: this.#longWork, signal });
    const outcome = await this.#compile(webhook).evaluate(input);
    if ("error" in outcome) throw forbidden(groupResource(attributes.resource), attributes.name, outcome.error);
    return outcome.matches;
  }

  #compile(webhook: Webhook): MatchConditions {
    const known = this.#compiled.get(webhook);
    if (known !== undefined) return known;
    const { metrics, onFailure } = this.#options;
    const compiled = compileMatchConditions(webhook.matchConditions, {
      failurePolicy: webhook.ignoresFailures ? "Ignore" : "Fail",
      onFailure: () => onFailure(webhook.name),
      metrics,
    });
    this.#compiled.set(webhook, compiled);
    return compiled;
  }
}
