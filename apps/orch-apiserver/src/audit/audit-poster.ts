import { systemClock } from "@orchernetes/kernel";
import { endpointOfConfigFile } from "../webhook/endpoint-of-config-file.ts";
import { createReviewClient, type ReviewRetry } from "../webhook/review-client.ts";
import { ReviewError } from "../webhook/review-error.ts";
import type { EventPoster } from "./webhook-backend.ts";

/** Time that a service may take for all attempts, beside the delays between them. */
const attemptsMs = 30_000;

/** The client of the service that a client configuration file names. */
export function auditPoster(configFile: string, initialBackoffMs: number, signal: AbortSignal): EventPoster {
  const retry: ReviewRetry = { attempts: 5, initialMs: initialBackoffMs, factor: 1.5, jitter: 0.2 };
  let delaysMs = 0;
  for (let attempt = 1, delayMs = initialBackoffMs; attempt < retry.attempts; attempt++, delayMs *= retry.factor)
    delaysMs += delayMs * (1 + retry.jitter);
  const client = createReviewClient({
    ...endpointOfConfigFile(configFile),
    timeoutMs: attemptsMs + Math.ceil(delaysMs),
    retry,
    clock: systemClock,
    signal,
  });
  return {
    async post(path, body) {
      try {
        await client.post(path, body);
      } catch (error) {
        // Services take events with any answer; most send none.
        if (!(error instanceof ReviewError) || error.failure !== "malformed") throw error;
      }
    },
    close: () => client.close(),
  };
}
