import type { AdmissionRequest, AdmissionResponse, CloudProvider, CloudWebhook } from "@orchernetes/cloud-provider";
import { BodyTooLargeError, readBody, respond, targetOf } from "@orchernetes/component";
import {
  type Clock,
  type HttpHandler,
  type HttpRequest,
  type Logger,
  messageOf,
  systemClock,
} from "@orchernetes/kernel";
import type { WebhookMetrics } from "./webhook-metrics.ts";

/** Largest body of a request: an object has at most 1.5 MiB, and two of them may be in it. */
const maxBodyBytes = 8 * 1024 * 1024;

/** Milliseconds in which a webhook must answer: the longest that the API server waits. */
const limitMs = 30_000;

const REVIEW = { apiVersion: "admission.o8s.io/v1", kind: "AdmissionReview" } as const;

/** What the handler of the webhook port uses. */
export interface WebhookHandlerOptions {
  readonly webhooks: Readonly<Record<string, CloudWebhook>>;
  readonly cloud: () => CloudProvider | undefined;
  readonly metrics: WebhookMetrics;
  readonly logger: Logger;
  readonly clock?: Clock;
}

interface Answer {
  readonly code: number;
  /** JSON, or the text of an error. */
  readonly body: object | string;
}

/** Answers AdmissionReviews at the paths of webhooks; other paths are 404. */
export function webhookHandler(options: WebhookHandlerOptions): HttpHandler {
  const { webhooks, metrics, logger, clock = systemClock } = options;
  const byPath = new Map(Object.entries(webhooks).map(([name, webhook]) => [webhook.path, { name, webhook }]));
  return async (request, response) => {
    const found = byPath.get(targetOf(request).path);
    const startMs = clock.monotonicMs();
    const { code, body } = found === undefined ? notFound : await answer(found.webhook, request, options, clock);
    const isText = typeof body === "string";
    const type = isText ? "text/plain; charset=utf-8" : "application/json";
    respond(request, response, code, { "content-type": type }, isText ? `${body}\n` : JSON.stringify(body));
    if (found === undefined) return;
    metrics(code, found.name, clock.monotonicMs() - startMs);
    if (code >= 400) logger.warn("A request to a webhook failed", { webhook: found.name, code, err: String(body) });
  };
}

const notFound: Answer = { code: 404, body: "404 page not found" };
const refused = (code: number, body: string): Answer => ({ code, body });

async function answer(
  webhook: CloudWebhook,
  request: HttpRequest,
  { cloud }: WebhookHandlerOptions,
  clock: Clock,
): Promise<Answer> {
  const read = await readReview(request);
  if ("code" in read) return read;
  const stop = new AbortController();
  const timer = clock.setTimeout(() => stop.abort(new Error(`no answer within ${limitMs} ms`)), limitMs);
  const late = new Promise<never>((_, reject) =>
    stop.signal.addEventListener("abort", () => reject(stop.signal.reason), { once: true }),
  );
  try {
    const admitted = webhook.admit(read.request, { signal: stop.signal, cloud: cloud() });
    const response: unknown = await Promise.race([admitted, late]);
    if (!isResponse(response)) return refused(500, "admission response cannot be nil");
    return { code: 200, body: { ...REVIEW, response: { ...response, uid: read.request.uid } } };
  } catch (error) {
    return refused(500, `error generating admission response: ${messageOf(error)}`);
  } finally {
    timer.clear();
  }
}

async function readReview(request: HttpRequest): Promise<{ readonly request: AdmissionRequest } | Answer> {
  const type = request.headers["content-type"] ?? "";
  if (type !== "application/json") {
    return refused(400, `Content-Type: ${JSON.stringify(type)} should be "application/json"`);
  }
  try {
    const text = (await readBody(request, maxBodyBytes)).toString("utf8");
    if (text === "") return refused(400, "admission request HTTP body is empty");
    const review = JSON.parse(text) as { kind?: unknown; apiVersion?: unknown; request?: unknown } | null;
    if (review?.kind !== REVIEW.kind || review.apiVersion !== REVIEW.apiVersion) {
      return refused(
        400,
        `could not deserialize incoming admission review: want ${REVIEW.kind} of ${REVIEW.apiVersion}`,
      );
    }
    if (!isRequest(review.request)) return refused(400, "admission review can't be used: Request field is nil");
    return { request: review.request };
  } catch (error) {
    if (error instanceof BodyTooLargeError) return refused(413, error.message);
    return refused(400, `could not deserialize incoming admission review: ${messageOf(error)}`);
  }
}

const isRequest = (value: unknown): value is AdmissionRequest =>
  typeof value === "object" && value !== null && "uid" in value && typeof value.uid === "string";

const isResponse = (value: unknown): value is AdmissionResponse =>
  typeof value === "object" && value !== null && "allowed" in value && typeof value.allowed === "boolean";
