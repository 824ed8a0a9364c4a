import { admissionregistration } from "@orchernetes/api";
import type {
  AdmissionAttributes,
  AdmissionContext,
  AdmissionOperation,
  AdmissionPlugin,
} from "@orchernetes/apiserver";
import { matchesSelectors } from "../matching/matcher.ts";
import type { Candidate } from "../matching/rule-index.ts";
import type { ConfiguredPlugin } from "../shared/plugin.ts";
import { remainingMs, requestTooLate } from "./call-time.ts";
import { callWebhook } from "./call-webhook.ts";
import { applyFailurePolicy } from "./failure-policy.ts";
import { matchingWebhooks } from "./matching-webhooks.ts";
import { failedOpenKey } from "./webhook-annotations.ts";
import { createWebhookParts, type WebhookParts } from "./webhook-parts.ts";
import type { PlacedWebhook } from "./webhook-source.ts";
import { WriteDocuments } from "./write-documents.ts";

const NAME = "ValidatingAdmissionWebhook";

/**
 * Plugin ValidatingAdmissionWebhook: calls the webhooks of ValidatingWebhookConfigurations concurrently. If several reject the request, the
 * client gets the reason of the first of them.
 */
class ValidatingWebhooks implements AdmissionPlugin {
  readonly name = NAME;
  readonly #parts: WebhookParts<admissionregistration.ValidatingWebhookConfiguration>;

  constructor(parts: WebhookParts<admissionregistration.ValidatingWebhookConfiguration>) {
    this.#parts = parts;
  }

  handles(_operation: AdmissionOperation): boolean {
    return true;
  }

  validate(attributes: AdmissionAttributes, context: AdmissionContext): void | Promise<void> {
    const found = matchingWebhooks(this.#parts.source, attributes, context);
    if (found instanceof Promise) return found.then((late) => this.#ask(late, attributes, context));
    if (found.length > 0) return this.#ask(found, attributes, context);
  }

  async #ask(
    candidates: readonly Candidate<PlacedWebhook>[],
    attributes: AdmissionAttributes,
    context: AdmissionContext,
  ): Promise<void> {
    const documents = new WriteDocuments(attributes, context);
    const called: Candidate<PlacedWebhook>[] = [];
    for (const candidate of candidates) {
      const { webhook } = candidate.item;
      if (!(await matchesSelectors(webhook.criteria, attributes, context))) continue;
      if (await this.#parts.conditions.areMet(webhook, () => documents.in(candidate.kind), context.signal))
        called.push(candidate);
    }
    if (called.length === 0) return;
    if (context.signal.aborted || remainingMs(context, this.#parts.failurePolicy.clock) === 0) throw requestTooLate();
    const outcomes = await Promise.allSettled(
      called.map((candidate, index) => this.#call(candidate, index, { attributes, context, documents })),
    );
    const rejected = outcomes.find((outcome) => outcome.status === "rejected");
    if (rejected !== undefined) throw rejected.reason;
  }

  /** Calls a webhook. @param index its position among the webhooks that are called */
  async #call(
    { item: { webhook }, kind, resource }: Candidate<PlacedWebhook>,
    index: number,
    write: {
      readonly attributes: AdmissionAttributes;
      readonly context: AdmissionContext;
      readonly documents: WriteDocuments;
    },
  ): Promise<void> {
    const { attributes, context, documents } = write;
    const { clients, failurePolicy } = this.#parts;
    const { operation } = attributes;
    const policed = { webhook, operation, context, failedOpenKey: failedOpenKey("validating", 0, index) };
    await applyFailurePolicy(policed, failurePolicy, async () => {
      const { object, oldObject } = await documents.in(kind);
      const reviewed = { attributes, kind, resource, object, oldObject };
      await callWebhook(webhook, reviewed, { clients, context, clock: failurePolicy.clock, mutating: false });
    });
  }
}

/** {@link ValidatingWebhooks}, created from the settings of the server. */
export const validatingAdmissionWebhook: ConfiguredPlugin = {
  name: NAME,
  create: (settings) =>
    new ValidatingWebhooks(
      createWebhookParts(settings, {
        step: "validating",
        definition: admissionregistration.validatingWebhookConfigurations,
        configuration: settings.configuration.ValidatingAdmissionWebhook,
      }),
    ),
};
