import { ApiError, internalError, Status } from "@orchernetes/apimachinery";
import { authenticationChallenge } from "@orchernetes/auth";
import { type Clock, isGone, type Logger } from "@orchernetes/kernel";
import { sendValue } from "../handlers/send-object.ts";
import { ClientGone } from "../http/chunk-sender.ts";
import { leaveConnection } from "../http/leave-connection.ts";
import { type Negotiated, type Negotiator, plainJson } from "../http/negotiate.ts";
import type { RequestState } from "../http/request-state.ts";
import { toStatus } from "../http/respond.ts";
import type { ApiMetrics, CompletedRequest, ServerFeatures } from "../interfaces/index.ts";
import { terminates } from "./server-errors.ts";

/** Dependencies of {@link Endings}. */
export interface EndingsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly negotiator: Negotiator;
  readonly metrics: ApiMetrics | undefined;
  readonly onCompleted: ((request: CompletedRequest) => void) | undefined;
  readonly features: Pick<ServerFeatures, "leaveUnauthenticated">;
}

/** The end of requests: error responses, metrics and records. */
export class Endings {
  readonly #options: EndingsOptions;

  constructor(options: EndingsOptions) {
    this.#options = options;
  }

  /**
   * The error that a client may see. Unexpected ones are logged with their stack and become an InternalError; those of
   * the store are translated to a Status by the caller.
   */
  known(error: unknown, state: RequestState): unknown {
    if (error instanceof ApiError || (error instanceof Error && error.name === "StoreError")) return error;
    const err = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const { logger } = this.#options;
    logger.error(err, "Request failed unexpectedly", { method: state.req.method, path: state.info.path });
    state.audit?.panicked(error);
    return internalError(error);
  }

  /**
   * Responds with an error, as far as that is still possible: not if the client is gone, and not as a Status once the
   * head of a response has been sent.
   */
  fail(state: RequestState, error: unknown): void {
    const { req, res } = state;
    const { metrics, negotiator } = this.#options;
    if (error instanceof ClientGone || isGone(res)) {
      metrics?.requestAborted(state);
      return;
    }
    const status = toStatus(this.known(error, state));
    if (metrics !== undefined && terminates(status)) metrics.requestTerminated(state, status.code ?? 500);
    if (state.timedOut && res.headersSent) state.failedLate = true;
    if (res.headersSent) {
      // The client has part of a successful response. Only a broken connection (HTTP/2: a reset stream) tells it that
      // the rest is missing.
      if (!res.writableEnded) res.destroy();
      return;
    }
    if (!req.readableEnded) req.resume();
    let negotiated: Negotiated;
    try {
      negotiated = negotiator.negotiate(req.headers.accept);
    } catch {
      negotiated = plainJson;
    }
    // Errors are short: write them synchronously.
    state.yaml = undefined;
    void sendValue(state, status.code ?? 500, status, negotiated, Status, headersOf(status));
  }

  /** Called when a request has ended, exactly once: observes metrics and completes the records. */
  completed(state: RequestState): void {
    const { clock, metrics, features, onCompleted } = this.#options;
    void state.audit?.completed(state.code);
    if (metrics !== undefined) {
      const seconds = (clock.nowMs() - state.startedMs) / 1000;
      metrics.observeRequest(state, seconds);
      if (state.timedOut) metrics.endedAfterTimeout(state.failedLate ? "error" : "ok");
    }
    if (features.leaveUnauthenticated) leaveUnauthenticated(state);
    onCompleted?.(state.completed());
  }
}

/** Headers of an error response: the challenge of 401 (RFC 9110 §15.5.2), and Retry-After. */
function headersOf({ code, details }: Status): Readonly<Record<string, string>> | undefined {
  if (code === 401) return { "www-authenticate": authenticationChallenge };
  const retryAfter = details?.retryAfterSeconds;
  return retryAfter === undefined ? undefined : { "retry-after": String(retryAfter) };
}

/** Closes HTTP/2 connections of unauthenticated clients; they are expensive. */
function leaveUnauthenticated({ req, res, user, impersonatedBy = user }: RequestState): void {
  const known = impersonatedBy.groups.includes("system:authenticated");
  if (!known && req.httpVersionMajor === 2) leaveConnection(req, res);
}
