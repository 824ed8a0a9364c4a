import { admissionregistration } from "@orchernetes/api";
import { type ApiObject, canonicalText } from "@orchernetes/apimachinery";
import type { AdmissionContext, AdmissionOperation, AdmissionPlugin, MutatingAttributes } from "@orchernetes/apiserver";
import { matchesSelectors } from "../matching/matcher.ts";
import type { Candidate } from "../matching/rule-index.ts";
import type { ConfiguredPlugin } from "../shared/plugin.ts";
import { callWebhook } from "./call-webhook.ts";
import { concerned } from "./concerned.ts";
import { judgeCall } from "./judge-call.ts";
import { patchedObject } from "./patched-object.ts";
import { Reinvocation } from "./reinvocation.ts";
import { failedOpenKey, MutationAnnotator } from "./webhook-annotations.ts";
import { createWebhookParts, type WebhookParts } from "./webhook-parts.ts";
import type { PlacedWebhook } from "./webhook-source.ts";
import { writeBack } from "./write-back.ts";
import { schemaOf, WriteDocuments } from "./write-documents.ts";

const NAME = "MutatingAdmissionWebhook";

/** A write on its way through the webhooks. */
interface Pass {
  readonly attributes: MutatingAttributes;
  readonly context: AdmissionContext;
  readonly documents: WriteDocuments;
  readonly state: Reinvocation;
  readonly round: 0 | 1;
}

/**
 * Asks the webhooks of MutatingWebhookConfigurations one after the other; each sees what those before it made of the object. If one
 * changes the object, all plugins see it again, and so do the webhooks that want it.
 */
class MutatingWebhooks implements AdmissionPlugin {
  readonly name = NAME;
  readonly #parts: WebhookParts<admissionregistration.MutatingWebhookConfiguration>;
  /** Of writes that have been through the first pass. */
  readonly #states = new WeakMap<AdmissionContext, Reinvocation>();

  constructor(parts: WebhookParts<admissionregistration.MutatingWebhookConfiguration>) {
    this.#parts = parts;
  }

  handles(_operation: AdmissionOperation): boolean {
    return true;
  }

  admit(attributes: MutatingAttributes, context: AdmissionContext): undefined | Promise<"again" | undefined> {
    const found = concerned(this.#parts.source, attributes, context);
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

  /** Asks one webhook, and does to the object what it says. Returns whether that changed it. */
  async #call({ item, kind, resource }: Candidate<PlacedWebhook>, pass: Pass): Promise<boolean> {
    const { attributes, context, documents, round } = pass;
    const { webhook, index } = item;
    const { clients, judge } = this.#parts;
    const annotator = new MutationAnnotator(webhook, context, round, index);
    const judged = {
      webhook,
      operation: attributes.operation,
      context,
      failedOpenKey: failedOpenKey("mutation", round, index),
    };
    let changed = false;
    try {
      await judgeCall(judged, judge, async () => {
        const { object, oldObject } = await documents.in(kind);
        const write = { attributes, kind, resource, object, oldObject };
        const response = await callWebhook(webhook, write, { clients, context, clock: judge.clock, mutating: true });
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

/** The object as text, for a comparison. */
async function textOf(documents: WriteDocuments, { kind }: MutatingAttributes): Promise<string> {
  const { object } = await documents.in(kind);
  return object === undefined ? "" : canonicalText(object satisfies ApiObject);
}

/** {@link MutatingWebhooks} with the server's configuration. */
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
