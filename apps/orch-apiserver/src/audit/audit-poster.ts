import type { Clock, Dialer } from "@orchernetes/kernel";
import { endpointOfConfigFile } from "../webhook/endpoint-of-config-file.ts";
import { JsonText } from "../webhook/json-text.ts";
import { createReviewClient, type ReviewEndpoint } from "../webhook/review-client.ts";
import { ReviewError } from "../webhook/review-error.ts";
import type { EventPoster } from "./webhook-backend.ts";

/** Time limit of an attempt, in milliseconds. */
const ATTEMPT_MS = 30_000;
/** Maximum number of attempts, as upstream. */
const ATTEMPTS = 5;
/** Each delay is longer than the previous one by this factor, plus a random part of up to `JITTER`. */
const FACTOR = 1.5;
const JITTER = 0.2;

/** Options of {@link auditPoster}. */
export interface AuditPosterOptions extends Pick<ReviewEndpoint, "onDeprecated"> {
  /** Client configuration that names the service. */
  readonly configFile: string;
  readonly initialBackoffMs: number;
  /** Opens the connections. @default directly */
  readonly dial?: Dialer | undefined;
  readonly clock: Clock;
  /** Ends attempts and closes connections. */
  readonly signal: AbortSignal;
  /** Numbers in [0, 1). @default Math.random */
  readonly random?: () => number;
}

/**
 * Creates the client of the audit webhook. Unlike reviews, events are retried after every kind of failure, because dropped events are lost
 * for good.
 */
export function auditPoster(options: AuditPosterOptions): EventPoster {
  const { configFile, initialBackoffMs, dial, onDeprecated, clock, signal, random = Math.random } = options;
  const connection = { ...(dial !== undefined && { dial }), ...(onDeprecated !== undefined && { onDeprecated }) };
  const service = { ...endpointOfConfigFile(configFile), ...connection };
  const client = createReviewClient({ ...service, timeoutMs: ATTEMPT_MS, clock, signal });
  return {
    async post(json) {
      const body = new JsonText(json);
      for (let attempt = 1, delayMs = initialBackoffMs; ; attempt++, delayMs *= FACTOR) {
        try {
          await client.post("", body);
          return;
        } catch (error) {
          if (isAccepted(error)) return;
          if (attempt === ATTEMPTS || signal.aborted) throw error;
        }
        await clock.sleep(delayMs * (1 + JITTER * random()), signal);
      }
    },
    close: () => client.close(),
  };
}

/** Whether the webhook has accepted the events: every 2xx response is a success, and most have no JSON. */
const isAccepted = (error: unknown): boolean =>
  error instanceof ReviewError &&
  (error.failure === "malformed" || (error.failure === "tooLarge" && error.status >= 200 && error.status <= 299));
