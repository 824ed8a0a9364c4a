import type { Status } from "@orchernetes/apimachinery";

/** Why a service that was asked for a review gave none. */
export type ReviewFailure =
  /** There was no whole answer in time. */
  | "timeout"
  /** The connection could not be made, could not be trusted, or ended before the answer did. */
  | "connection"
  /** The connection was reset, which may pass: services restart. */
  | "reset"
  /** The answer has a status other than 2xx. */
  | "status"
  /** The answer leads to another server, or there is no end of redirects. */
  | "redirect"
  /** The answer is longer than a review may be. */
  | "tooLarge"
  /** The answer is not JSON. */
  | "malformed";

/** What a service said in an answer with another status than 2xx. */
export interface RefusalAnswer {
  /** The start of a text; `unknown` for anything else. */
  readonly text: string;
  /** The Status in it that says what failed. */
  readonly status: Status | undefined;
}

/** A service gave no usable answer. The message names the address and what was found, never what was sent. */
export class ReviewError extends Error {
  override readonly name = "ReviewError";
  readonly failure: ReviewFailure;
  /** HTTP status of the answer; 0 if there was none. */
  readonly status: number;
  /** The delay that the answer asked for, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Undefined unless the failure is the status. Never part of the message: who reads that may not be meant to see it. */
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
 * Whether asking again may help, by upstream's rule (DefaultShouldRetry): the connection was reset, the service is overloaded or failed
 * internally, or it asks for a later attempt. A wrong certificate, a refused connection or a timeout of one's own is final.
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
