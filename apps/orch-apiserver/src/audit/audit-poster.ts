import type { Clock, Dialer } from "@orchernetes/kernel";
import { endpointOfConfigFile } from "../webhook/endpoint-of-config-file.ts";
import { JsonText } from "../webhook/json-text.ts";
import { createReviewClient, type ReviewEndpoint } from "../webhook/review-client.ts";
import { ReviewError } from "../webhook/review-error.ts";
import type { EventPoster } from "./webhook-backend.ts";

const ATTEMPT_MS = 30_000;
const ATTEMPTS = 5;
/** Each delay is longer than the one before by this factor, and by a random part of up to `JITTER`. */
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
  /** Ends everything. */
  readonly signal: AbortSignal;
  /** Numbers in [0, 1). @default Math.random */
  readonly random?: () => number;
}

/**
 * The client of the service that a client configuration file names. Whatever goes wrong, it is tried five times: records that are
 * dropped cannot be had again.
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
          if (isTaken(error)) return;
          if (attempt === ATTEMPTS || signal.aborted) throw error;
        }
        await clock.sleep(delayMs * (1 + JITTER * random()), signal);
      }
    },
    close: () => client.close(),
  };
}

/** Services take events with any answer that is a success; most send no JSON. */
const isTaken = (error: unknown): boolean =>
  error instanceof ReviewError &&
  (error.failure === "malformed" || (error.failure === "tooLarge" && error.status >= 200 && error.status <= 299));
