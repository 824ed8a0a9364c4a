import type { ApiObject } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext, MutatingAttributes } from "@orchernetes/apiserver";
import type { Candidate } from "../matching/rule-index.ts";
import { refusal } from "../shared/attributes.ts";
import type { WebhookConfiguration } from "./webhook.ts";
import type { PlacedWebhook, WebhookSource } from "./webhook-source.ts";

/** Kinds of admissionregistration.o8s.io for which webhooks are never called: a webhook must not prevent its own removal. */
const EXEMPT: ReadonlySet<string> = new Set([
  "MutatingWebhookConfiguration",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
  "ValidatingWebhookConfiguration",
]);

const NONE: readonly never[] = Object.freeze([]);

/**
 * Returns the webhooks whose rules match a write, in the order in which they are called. For nearly all writes this is a look-up that
 * allocates nothing.
 *
 * @throws ApiError Forbidden if the configurations are not known in time after the start
 */
export function matchingWebhooks<T extends ApiObject & WebhookConfiguration>(
  source: WebhookSource<T>,
  attributes: AdmissionAttributes | MutatingAttributes,
  context: AdmissionContext,
): readonly Candidate<PlacedWebhook>[] | Promise<readonly Candidate<PlacedWebhook>[]> {
  const { kind } = attributes;
  if (kind.group === "admissionregistration.o8s.io" && EXEMPT.has(kind.kind)) return NONE;
  const index = source.current;
  if (index !== undefined) return index.candidates(attributes, context.registry);
  return source.ready(context).then((ready) => {
    if (ready) return source.current?.candidates(attributes, context.registry) ?? NONE;
    throw refusal(attributes as AdmissionAttributes, "not yet ready to handle request");
  });
}
