import { randomUUID } from "node:crypto";
import { ApiError, badRequest, goQuote, isQualifiedName } from "@orchernetes/apimachinery";
import type { AdmissionContext } from "@orchernetes/apiserver";
import { type Clock, messageOf } from "@orchernetes/kernel";
import { deprecationOfError } from "@orchernetes/tls";
import { failedStatus } from "../../webhook/refusal.ts";
import { statusError } from "../../webhook/status-error.ts";
import { checkReview, decodeReview, type WebhookResponse } from "./admission-response.ts";
import { admissionReview, type ReviewedWrite } from "./admission-review.ts";
import { remainingMs } from "./call-time.ts";
import type { Webhook } from "./webhook.ts";
import type { WebhookClients } from "./webhook-clients.ts";
import { denialOf, WebhookCallError } from "./webhook-error.ts";

/** What a call is made with. */
export interface CallParts {
  readonly clients: Pick<WebhookClients, "post">;
  readonly context: AdmissionContext;
  readonly clock: Clock;
  /** Whether the webhook may change the object. */
  readonly mutating: boolean;
}

/** Time for a call whose webhook sets none, in milliseconds. */
const TIMEOUT_MS = 30_000;

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
  { name, target, reviewVersion = "v1", timeoutMs = TIMEOUT_MS }: Webhook,
  review: object,
  { clients, context, clock, mutating }: CallParts,
): Promise<ReturnType<typeof decodeReview>> {
  const timedPost = async (post: () => Promise<unknown>): Promise<unknown> => {
    const startMs = clock.monotonicMs();
    try {
      return await post();
    } finally {
      context.addWebhookTime?.(mutating ? "mutating" : "validating", clock.monotonicMs() - startMs);
    }
  };
  try {
    const leftMs = remainingMs(context, clock);
    if (leftMs === 0) throw new Error("context deadline exceeded");
    const limits = { signal: context.signal, timeoutMs: Math.min(timeoutMs, leftMs) };
    const answer = await timedPost(() => clients.post(target, review, limits));
    const failed = isStatus(answer) ? failedStatus(answer) : undefined;
    if (failed !== undefined) throw new ApiError(failed);
    return decodeReview(answer, reviewVersion);
  } catch (error) {
    annotateCertificate(error, target.url, context);
    const { message, code } = failureOf(error);
    throw new WebhookCallError(name, `failed to call webhook: ${message}`, { code, cause: error });
  }
}

const isStatus = (answer: unknown): boolean => Object(answer).kind === "Status";

/** What is reported of a failed call, and the code under which it is counted: that of an answer, else 400. */
function failureOf(error: unknown): { readonly message: string; readonly code: number } {
  const known = error instanceof ApiError ? error : statusError(error instanceof Error ? error.cause : undefined);
  return known instanceof ApiError
    ? { message: known.message, code: known.code }
    : { message: messageOf(error), code: 400 };
}

const DEPRECATIONS = {
  "missing-san": "relies on a legacy Common Name field instead of the SAN extension for subject validation",
  "insecure-sha1": "uses an insecure SHA-1 signature",
} as const;

/** Tells the audit of a certificate that other software accepts. */
function annotateCertificate(error: unknown, url: string, { annotate }: AdmissionContext): void {
  const what = deprecationOfError(error);
  if (what === undefined) return;
  annotate(`${what}.invalid-cert.orchernetes.io/${new URL(url).hostname}`, DEPRECATIONS[what]);
}

function checked<T>({ name }: Webhook, check: () => T): T {
  try {
    return check();
  } catch (cause) {
    throw new WebhookCallError(name, `received invalid webhook response: ${messageOf(cause)}`, { code: 503, cause });
  }
}
