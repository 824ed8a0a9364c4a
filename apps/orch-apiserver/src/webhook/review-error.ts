import type { Status } from "@orchernetes/apimachinery";

/** Why there is no usable response to a review. */
export type ReviewFailure =
  /** There was no complete response in time. */
  | "timeout"
  /** The connection failed, its certificate did not verify, or it ended before the response did. */
  | "connection"
  /** The connection was reset, which is temporary when a service restarts. */
  | "reset"
  /** The response has a status other than 2xx. */
  | "status"
  /** The response redirects to another server, or there are too many redirects. */
  | "redirect"
  /** The response is larger than the limit. */
  | "tooLarge"
  /** The response is not JSON. */
  | "malformed";

/** The content of a response with a status other than 2xx. */
export interface RefusalAnswer {
  /** The start of a text; `unknown` for anything else. */
  readonly text: string;
  /** The Status in it that says what failed. */
  readonly status: Status | undefined;
}

/** There is no usable response. The message contains the address and what was found, but never what was sent, which may be a token. */
export class ReviewError extends Error {
  override readonly name = "ReviewError";
  readonly failure: ReviewFailure;
  /** HTTP status of the response; 0 if there was none. */
  readonly status: number;
  /** The delay that the response asks for, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Undefined unless the failure is the status. It is not part of the message, whose readers may not be allowed to see it. */
  readonly answer: RefusalAnswer | undefined;

  constructor(
    message: string,
    options: {
      readonly failure: ReviewFailure;
      readonly status?: number;
      readonly retryAfterMs?: number | undefined;
      readonly answer?: RefusalAnswer;
      readonly cause?: unknown;
    },
  ) {
    super(message, { cause: options.cause });
    this.failure = options.failure;
    this.status = options.status ?? 0;
    this.retryAfterMs = options.retryAfterMs;
    this.answer = options.answer;
  }
}

/**
 * Whether a review can be retried, by upstream's rule (DefaultShouldRetry): the connection was reset, the service is overloaded or failed
 * internally, or it asks for a later attempt. A wrong certificate, a refused connection and a timeout are final.
 */
export const isRetriable = (error: unknown): boolean =>
  error instanceof ReviewError &&
  (error.failure === "reset" || isPassing(error.status) || error.retryAfterMs !== undefined);

/** 429, and what clients of the original call internal errors and timeouts: all of 5xx but 503. */
const isPassing = (status: number): boolean => status === 429 || (status >= 500 && status !== 503);

/**
 * The delay after which a service wants to be asked again, in milliseconds: header Retry-After beside 429 or 5xx. Clients of the
 * original obey it, whatever they do about other failures.
 */
export const askedDelayMs = (error: unknown): number | undefined =>
  error instanceof ReviewError && (error.status === 429 || error.status >= 500) ? error.retryAfterMs : undefined;
