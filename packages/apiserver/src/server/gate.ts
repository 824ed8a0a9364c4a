import type { Decision, UserInfo } from "@orchernetes/auth";
import { impersonates } from "../filters/impersonation.ts";
import type { RequestState } from "../http/request-state.ts";
import type { Aggregator, ApiMetrics, HandlerTable, RequestFilter } from "../interfaces/index.ts";
import { failedAuthorization, type GateSteps, type Leave, noteDecision } from "./gate-steps.ts";
import { isRemoteLongRunning } from "./remote-target.ts";

/** What decides for a {@link Gate} which requests are long-running. */
export interface LongRunningRules {
  readonly aggregator?: Aggregator | undefined;
  readonly handlers?: HandlerTable | undefined;
}

/**
 * The steps before routing: authentication → impersonation → in-flight limits or flow control → authorization.
 *
 * Authorization comes last although it would be cheaper to deny first: authorizers may call webhooks, and only admitted
 * requests should cause such work. That is the order of upstream's handler chain, too.
 *
 * The gate is synchronous as long as each step is. For a client with a cached token, and rules in memory, it creates no
 * promise, and the request reaches its handler in the same turn of the event loop.
 */
export class Gate {
  readonly #steps: GateSteps;
  readonly #rules: LongRunningRules;
  readonly #metrics: Pick<ApiMetrics, "observeFilter"> | undefined;

  /** @param metrics measure the time that admitted requests spend in each step @default it is not measured */
  constructor(steps: GateSteps, rules: LongRunningRules, metrics?: Pick<ApiMetrics, "observeFilter">) {
    this.#steps = steps;
    this.#rules = rules;
    this.#metrics = metrics;
  }

  /**
   * Admits a request, as `as` if that is given. Returns the function that releases the request's slot, immediately
   * unless something has to be waited for.
   *
   * @throws ApiError Unauthorized, Forbidden, TooManyRequests
   */
  admit(state: RequestState, as: UserInfo | undefined): Leave | Promise<Leave> {
    state.longRunning ||= isLongRunning(state, this.#rules);
    const startMs = performance.now();
    let found: UserInfo | Promise<UserInfo>;
    try {
      found = this.#steps.identify(state, as);
    } catch (error) {
      state.recordUnauthenticated();
      throw error;
    }
    if (found instanceof Promise) return this.#identified(state, found, startMs);
    state.user = found;
    const sinceMs = this.#passed("authentication", startMs);
    // A user that is known already, impersonates no other user and does not have to wait is admitted without a turn of
    // the event loop: nearly every request.
    const recorded = state.record();
    if (recorded !== undefined || impersonates(state.req)) return this.#acting(state, recorded);
    return this.#letIn(state, sinceMs);
  }

  /** Continues behind an authenticator that had to wait. */
  async #identified(state: RequestState, found: Promise<UserInfo>, startMs: number): Promise<Leave> {
    try {
      state.user = await found;
    } catch (error) {
      state.recordUnauthenticated();
      throw error;
    }
    this.#passed("authentication", startMs);
    return this.#acting(state, state.record());
  }

  /** Continues with what may have to wait: the record of the request, and impersonation. */
  async #acting(state: RequestState, recorded: void | Promise<void>): Promise<Leave> {
    if (recorded !== undefined) await recorded;
    let sinceMs = performance.now();
    if (impersonates(state.req)) {
      await this.#steps.impersonate(state);
      sinceMs = this.#passed("impersonation", sinceMs);
    }
    return this.#letIn(state, sinceMs);
  }

  /** Takes a place among the requests in flight, and authorizes. */
  #letIn(state: RequestState, sinceMs: number): Leave | Promise<Leave> {
    const entered = this.#steps.enter(state);
    return entered instanceof Promise
      ? entered.then((leave) => this.#authorize(state, leave, sinceMs))
      : this.#authorize(state, entered, sinceMs);
  }

  /**
   * Authorizes a request that has its place. If it is denied, the place is released here, as the caller gets no
   * function to release it.
   */
  #authorize(state: RequestState, leave: Leave, enteredMs: number): Leave | Promise<Leave> {
    const sinceMs = this.#passed("priorityandfairness", enteredMs);
    let decided: Decision | Promise<Decision>;
    try {
      decided = this.#steps.authorize(state);
    } catch (error) {
      return forbid(state, leave, error);
    }
    if (!(decided instanceof Promise)) return this.#allow(state, leave, decided, sinceMs);
    return decided.then(
      (late) => this.#allow(state, leave, late, sinceMs),
      (error: unknown) => forbid(state, leave, error),
    );
  }

  #allow(state: RequestState, leave: Leave, decision: Decision, sinceMs: number): Leave {
    state.decision = "allow";
    noteDecision(state, decision);
    this.#passed("authorization", sinceMs);
    return leave;
  }

  /** Measures a step. @returns when it ended and the next one begins, so that the clock is read once between two of them */
  #passed(filter: RequestFilter, sinceMs: number): number {
    if (this.#metrics === undefined) return sinceMs;
    const nowMs = performance.now();
    this.#metrics.observeFilter(filter, (nowMs - sinceMs) / 1000);
    return nowMs;
  }
}

function forbid(state: RequestState, leave: Leave, error: unknown): never {
  leave();
  if (state.reason !== failedAuthorization) state.decision = "forbid";
  throw error;
}

/**
 * Whether a request may last as long as the client wants: watches, streams of handlers, and profiles. Such requests
 * have no timeout and do not count as in flight.
 */
function isLongRunning(state: RequestState, { aggregator, handlers }: LongRunningRules): boolean {
  const { info } = state;
  if (!info.isResourceRequest) return info.path.startsWith("/debug/pprof/");
  if (info.verb === "watch") return true;
  if (info.subresource === "") return false;
  if (aggregator?.serves(info.apiGroup, info.apiVersion)) return isRemoteLongRunning(info);
  const handler = handlers?.[`${info.apiGroup}/${info.resource}/${info.subresource}`];
  const long = handler?.longRunning ?? false;
  return typeof long === "function" ? long(info, state.query) : long;
}
