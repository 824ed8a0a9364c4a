import { admissionregistration } from "@orchernetes/api";
import { type ApiObject, canonicalText } from "@orchernetes/apimachinery";
import type { AdmissionContext, AdmissionOperation, AdmissionPlugin, MutatingAttributes } from "@orchernetes/apiserver";
import { matchesSelectors } from "../matching/matcher.ts";
import type { Candidate } from "../matching/rule-index.ts";
import type { ConfiguredPlugin } from "../shared/plugin.ts";
import { callWebhook } from "./call-webhook.ts";
import { applyFailurePolicy } from "./failure-policy.ts";
import { matchingWebhooks } from "./matching-webhooks.ts";
import { patchedObject } from "./patched-object.ts";
import { Reinvocation } from "./reinvocation.ts";
import { failedOpenKey, MutationAnnotator } from "./webhook-annotations.ts";
import { createWebhookParts, type WebhookParts } from "./webhook-parts.ts";
import type { PlacedWebhook } from "./webhook-source.ts";
import { writeBack } from "./write-back.ts";
import { schemaOf, WriteDocuments } from "./write-documents.ts";

const NAME = "MutatingAdmissionWebhook";

/** A pass of a write through the webhooks. */
interface Pass {
  readonly attributes: MutatingAttributes;
  readonly context: AdmissionContext;
  readonly documents: WriteDocuments;
  readonly state: Reinvocation;
  readonly round: 0 | 1;
}

/**
 * Plugin MutatingAdmissionWebhook: calls the webhooks of MutatingWebhookConfigurations one after the other. Each gets the object as the
 * webhooks before it have left it. If one of them changes the object, all plugins are called again, and so are the webhooks with
 * `reinvocationPolicy: IfNeeded`.
 */
class MutatingWebhooks implements AdmissionPlugin {
  readonly name = NAME;
  readonly #parts: WebhookParts<admissionregistration.MutatingWebhookConfiguration>;
  /** The state of writes after their first pass. */
  readonly #states = new WeakMap<AdmissionContext, Reinvocation>();

  constructor(parts: WebhookParts<admissionregistration.MutatingWebhookConfiguration>) {
    this.#parts = parts;
  }

  handles(_operation: AdmissionOperation): boolean {
    return true;
  }

  admit(attributes: MutatingAttributes, context: AdmissionContext): undefined | Promise<"again" | undefined> {
    const found = matchingWebhooks(this.#parts.source, attributes, context);
    if (found instanceof Promise) return found.then((late) => this.#ask(late, attributes, context));
    if (found.length > 0) return this.#ask(found, attributes, context);
  }

  async #ask(
    candidates: readonly Candidate<PlacedWebhook>[],
    attributes: MutatingAttributes,
    context: AdmissionContext,
  ): Promise<"again" | undefined> {
    if (candidates.length === 0) return;
    const before = this.#states.get(context);
    const state = before ?? new Reinvocation();
    const documents = new WriteDocuments(attributes, context);
    if (before === undefined) this.#states.set(context, state);
    else before.enter(await textOf(documents, attributes));
    const pass: Pass = { attributes, context, documents, state, round: before === undefined ? 0 : 1 };
    let changed = false;
    for (const candidate of candidates) {
      const { webhook } = candidate.item;
      if (pass.round === 1 && !state.isWanted(webhook.uid)) continue;
      if (!(await matchesSelectors(webhook.criteria, attributes, context))) continue;
      if (!(await this.#parts.conditions.areMet(webhook, () => documents.in(candidate.kind), context.signal))) continue;
      if (await this.#call(candidate, pass)) {
        changed = true;
        state.changed();
      }
      if (webhook.reinvocable) state.called(webhook.uid);
    }
    if (pass.round === 1) return;
    if (changed) state.leave(await textOf(documents, attributes));
    return changed ? "again" : undefined;
  }

  /** Calls a webhook and applies its patch to the object. Returns whether that has changed the object. */
  async #call({ item, kind, resource }: Candidate<PlacedWebhook>, pass: Pass): Promise<boolean> {
    const { attributes, context, documents, round } = pass;
    const { webhook, index } = item;
    const { clients, failurePolicy } = this.#parts;
    const annotator = new MutationAnnotator(webhook, context, round, index);
    const policed = {
      webhook,
      operation: attributes.operation,
      context,
      failedOpenKey: failedOpenKey("mutation", round, index),
    };
    let changed = false;
    try {
      await applyFailurePolicy(policed, failurePolicy, async () => {
        const { object, oldObject } = await documents.in(kind);
        const write = { attributes, kind, resource, object, oldObject };
        const response = await callWebhook(webhook, write, {
          clients,
          context,
          clock: failurePolicy.clock,
          mutating: true,
        });
        const schema = schemaOf(attributes, kind, context.registry);
        const patched = patchedObject(response, { webhook: webhook.name, object, kind, schema });
        if (patched === undefined) return;
        changed = canonicalText(patched.object) !== canonicalText(object);
        annotator.patched(patched.operations);
        if (!changed) return;
        await writeBack(attributes, patched.object, kind, context);
        documents.forget();
      });
      return changed;
    } finally {
      annotator.mutated(changed);
    }
  }
}

/** Returns the object as text, for comparisons. */
async function textOf(documents: WriteDocuments, { kind }: MutatingAttributes): Promise<string> {
  const { object } = await documents.in(kind);
  return object === undefined ? "" : canonicalText(object satisfies ApiObject);
}

/** {@link MutatingWebhooks}, created from the settings of the server. */
export const mutatingAdmissionWebhook: ConfiguredPlugin = {
  name: NAME,
  create: (settings) =>
    new MutatingWebhooks(
      createWebhookParts(settings, {
        step: "admit",
        definition: admissionregistration.mutatingWebhookConfigurations,
        configuration: settings.configuration.MutatingAdmissionWebhook,
      }),
    ),
};
