import { timeoutError } from "@orchernetes/apimachinery";
import type { UserInfo } from "@orchernetes/auth";
import { type HttpRequest, type HttpResponse, isGone, type Timer } from "@orchernetes/kernel";
import { leaveConnection } from "../http/leave-connection.ts";
import { sendNotFoundPage } from "../http/not-found-page.ts";
import { parseRequestInfo } from "../http/request-info.ts";
import { RequestState } from "../http/request-state.ts";
import { requestedTimeoutMs } from "../http/requested-timeout.ts";
import { setFlowHeaders } from "../http/respond.ts";
import type { Aggregator, GroupVersion, NonResourceContext } from "../interfaces/index.ts";
import { Deadlines, type Ticket } from "./deadlines.ts";
import { remoteTarget } from "./remote-target.ts";
import { routeOf } from "./route.ts";
import { countLongRunning, runRoute } from "./run-route.ts";
import { shuttingDown } from "./server-errors.ts";
import type { ServingParts } from "./serving-parts.ts";
import { traceRequest } from "./trace-request.ts";

/** Paths that a draining server still serves, so that its shutdown can be observed. */
const probePath = /^\/(?:healthz|livez|readyz)(?:\/|$)/;

/**
 * The path of a request: request info → drain → gate → route → response.
 *
 * Each request is counted, timed and recorded exactly once, however it ends; the nested `try` blocks release what was
 * taken, in reverse order. A timeout responds immediately and aborts the request's signal; the work behind it may take
 * longer to notice, and its result is dropped.
 */
export class RequestPath {
  readonly #parts: ServingParts;
  readonly #deadlines: Deadlines<RequestState>;

  constructor(parts: ServingParts) {
    this.#parts = parts;
    const { clock, limits } = parts.environment;
    this.#deadlines = new Deadlines(clock, limits.requestTimeoutMs, (state) => this.#tooLate(state));
  }

  /** Serves a request, as user `as` if that is given; resolves when the response is complete. Never rejects. */
  answer(req: HttpRequest, res: HttpResponse, as: UserInfo | undefined): Promise<void> {
    const { environment, options } = this.#parts;
    const { clock, features } = environment;
    const state = new RequestState(req, res, clock.nowMs(), features.responseCompression, options.audit);
    state.yaml = environment.yaml;
    // A broken connection is not a server error; without a listener, it would be an uncaught exception.
    res.on("error", () => state.abort(new Error("the response failed")));
    const { tracer } = environment;
    if (tracer === undefined) return this.#settle(state, as);
    return traceRequest(tracer, state, () => this.#settle(state, as));
  }

  /** Turns errors into responses, and completes the records. */
  async #settle(state: RequestState, as: UserInfo | undefined): Promise<void> {
    const { endings } = this.#parts;
    try {
      await this.#serve(state, as);
    } catch (error) {
      endings.fail(state, error);
    } finally {
      if (state.held !== undefined) await state.held;
      endings.completed(state);
    }
  }

  async #serve(state: RequestState, as: UserInfo | undefined): Promise<void> {
    const { lifecycle, gate, options } = this.#parts;
    const { req, res } = state;
    state.info = parseRequestInfo(req.method ?? "", req.url ?? "");
    if (lifecycle.draining && as === undefined) {
      leaveConnection(req, res);
      if (options.shutdownSendRetryAfter === true && !probePath.test(state.info.path)) throw shuttingDown();
    }
    // Counted before authentication: a drain must not overtake a request that is still being authenticated.
    let group = lifecycle.requests;
    let ownDeadline: Timer | undefined;
    group.enter();
    // The deadline starts here, too: webhooks for authentication and audit backends may be slow.
    const deadline: Ticket<RequestState> = this.#deadlines.add(state);
    try {
      const admitted = gate.admit(state, as);
      const leave = admitted instanceof Promise ? await admitted : admitted;
      if (state.longRunning) {
        lifecycle.longRunning.enter();
        group.leave();
        group = lifecycle.longRunning;
      }
      try {
        if (state.timedOut) return;
        if (state.longRunning) this.#deadlines.delete(deadline);
        else {
          state.deadlineMs = deadline?.dueMs;
          ownDeadline = this.#ownDeadline(state);
        }
        state.recordAnswer();
        await this.#dispatch(state);
        // A drain must not overtake a response that waits for its audit record.
        if (state.held !== undefined) await state.held;
      } finally {
        leave();
        ownDeadline?.clear();
      }
    } finally {
      this.#deadlines.delete(deadline);
      group.leave();
    }
  }

  /** The timer for a `?timeout=` that is shorter than the server's request timeout; a longer one has no effect. */
  #ownDeadline(state: RequestState): Timer | undefined {
    const askedMs = requestedTimeoutMs(state);
    const { clock, limits } = this.#parts.environment;
    const { requestTimeoutMs } = limits;
    if (askedMs === undefined || (requestTimeoutMs > 0 && askedMs >= requestTimeoutMs)) return undefined;
    state.deadlineMs = clock.nowMs() + askedMs;
    return clock.setTimeout(() => this.#tooLate(state), askedMs).unref();
  }

  /** Responds 504, unless the response has started or the request turned out to be long-running. */
  #tooLate(state: RequestState): void {
    if (state.longRunning || state.res.headersSent || isGone(state.res)) return;
    state.timedOut = true;
    this.#parts.endings.fail(state, timeoutError(`request did not complete within the allotted timeout`));
    state.abort(new Error("the request timed out"));
  }

  /** Finds what serves an admitted request: another server, a resource, discovery, or a path of the program. */
  async #dispatch(state: RequestState): Promise<void> {
    const { environment, discovery, options } = this.#parts;
    const { info } = state;
    const refusal = options.writeBarrier?.(info);
    if (refusal !== undefined) throw refusal;
    const { aggregator } = options;
    const elsewhere = aggregator && remoteTarget(aggregator, info);
    if (aggregator !== undefined && elsewhere !== undefined) {
      await this.#forward(aggregator, elsewhere, state);
      return;
    }
    if (info.isResourceRequest) {
      const route = routeOf(environment, state);
      const run = () => runRoute(environment, route, state);
      await (state.longRunning ? countLongRunning(environment.metrics, state, run) : run());
      return;
    }
    const discovered = discovery.serve(state);
    if (discovered !== false) {
      await discovered;
      return;
    }
    const handled = (await options.nonResource?.(contextOf(state))) ?? false;
    if (!handled) sendNotFoundPage(state);
    state.code = state.res.statusCode;
  }

  async #forward(aggregator: Aggregator, target: GroupVersion, state: RequestState): Promise<void> {
    const { res, flow } = state;
    res.setHeader("audit-id", state.auditId);
    if (flow !== undefined) setFlowHeaders(res, flow);
    const forward = () => aggregator.proxy(contextOf(state), target);
    await (state.longRunning ? countLongRunning(this.#parts.environment.metrics, state, forward) : forward());
    state.code = res.statusCode;
  }
}

function contextOf(state: RequestState): NonResourceContext {
  const { user, info, auditId, req, res, signal } = state;
  return { user, requestInfo: info, auditId, req, res, signal };
}
