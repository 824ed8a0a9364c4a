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
  /** The answer is longer than a review may be. */
  | "tooLarge"
  /** The answer is not JSON. */
  | "malformed";

/** A service gave no usable answer. The message names the address and what was found, never what was sent. */
export class ReviewError extends Error {
  override readonly name = "ReviewError";
  readonly failure: ReviewFailure;
  /** HTTP status of the answer; 0 if there was none. */
  readonly status: number;
  /** The delay that the answer asked for, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    options: {
      readonly failure: ReviewFailure;
      readonly status?: number;
      readonly retryAfterMs?: number | undefined;
      readonly cause?: unknown;
    },
  ) {
    super(message, { cause: options.cause });
    this.failure = options.failure;
    this.status = options.status ?? 0;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Statuses after which asking again may help: 429, 500 and 504. */
const PASSING: ReadonlySet<number> = new Set([429, 500, 504]);

/**
 * Whether asking again may help, by upstream's rule: the connection was reset, the service is overloaded or failed internally, or
 * it asks for a later attempt. A wrong certificate, a refused connection or a timeout of one's own is final.
 */
export const mayPass = (error: unknown): boolean =>
  error instanceof ReviewError &&
  (error.failure === "reset" || PASSING.has(error.status) || error.retryAfterMs !== undefined);
