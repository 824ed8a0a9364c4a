import { randomUUID } from "node:crypto";
import { badRequest, goQuote, isQualifiedName } from "@orchernetes/apimachinery";
import type { AdmissionContext } from "@orchernetes/apiserver";
import { messageOf } from "@orchernetes/kernel";
import { ReviewError } from "../../webhook/review-error.ts";
import { checkReview, decodeReview, type WebhookResponse } from "./admission-response.ts";
import { admissionReview, type ReviewedWrite } from "./admission-review.ts";
import type { Webhook } from "./webhook.ts";
import type { WebhookClients } from "./webhook-clients.ts";
import { denialOf, WebhookCallError } from "./webhook-error.ts";

/** What a call is made with. */
export interface CallParts {
  readonly clients: WebhookClients;
  readonly context: AdmissionContext;
  /** Whether the webhook may change the object. */
  readonly mutating: boolean;
}

/**
 * Asks a webhook about a write. Passes its warnings to the client, and its annotations to the audit.
 *
 * @throws WebhookDenial, WebhookCallError when it gave no usable answer, ApiError BadRequest for a dry run that it does not support
 */
export async function callWebhook(webhook: Webhook, write: ReviewedWrite, parts: CallParts): Promise<WebhookResponse> {
  const { name, reviewVersion } = webhook;
  if (write.attributes.dryRun && !webhook.allowsDryRun)
    throw badRequest(`admission webhook ${goQuote(name)} does not support dry run`);
  if (reviewVersion === undefined) {
    const known = "webhook does not accept known AdmissionReview versions (v1, v1beta1)";
    throw new WebhookCallError(name, `could not create admission objects: ${known}`, { code: 400 });
  }
  const uid = randomUUID();
  const review = admissionReview(uid, reviewVersion, write);
  const answer = await ask(webhook, review, parts);
  const response = checked(webhook, () =>
    checkReview(answer, { version: reviewVersion, uid, mutating: parts.mutating }),
  );
  const { context } = parts;
  for (const [key, value] of Object.entries(response.auditAnnotations)) {
    const full = `${name}/${key}`;
    if (isQualifiedName(full).length === 0) context.annotate(full, value);
  }
  for (const warning of response.warnings) context.warn(warning);
  if (!response.allowed) throw denialOf(name, response.status);
  return response;
}

async function ask(
  { name, target, timeoutMs }: Webhook,
  review: object,
  { clients, context }: CallParts,
): Promise<ReturnType<typeof decodeReview>> {
  try {
    return decodeReview(await clients.post(target, review, context.signal, timeoutMs));
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    const answered = cause instanceof ReviewError && cause.failure === "status" && cause.status >= 400;
    const code = answered ? cause.status : 400;
    throw new WebhookCallError(name, `failed to call webhook: ${messageOf(error)}`, { code, cause: error });
  }
}

function checked<T>({ name }: Webhook, check: () => T): T {
  try {
    return check();
  } catch (cause) {
    throw new WebhookCallError(name, `received invalid webhook response: ${messageOf(cause)}`, { code: 503, cause });
  }
}
