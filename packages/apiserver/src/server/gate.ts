import { ApiError } from "@orchernetes/apimachinery";
import type { Authentication } from "../filters/authentication.ts";
import { type Authorization, attributesOf } from "../filters/authorization.ts";
import { dropImpersonationHeaders, impersonate, impersonates } from "../filters/impersonation.ts";
import type { MaxInFlight } from "../filters/max-in-flight.ts";
import type { RequestState } from "../http/request-state.ts";
import { setFlowHeaders } from "../http/respond.ts";
import type {
  Aggregator,
  ApiServerOptions,
  Decision,
  RequestFilter,
  RequestInfo,
  UserInfo,
} from "../interfaces/index.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";
import { isRemoteLongRunning } from "./remote-target.ts";

/** Objects that a list reads for each seat it takes, and the most seats. */
const objectsPerSeat = 100;
const maxSeats = 10;

/** Parts of a {@link Gate}. */
export interface GateOptions extends Pick<ApiServerOptions, "metrics" | "flowControl" | "handlers"> {
  readonly aggregator: Aggregator | undefined;
  readonly authentication: Authentication;
  readonly authorization: Authorization;
  readonly inFlight: MaxInFlight;
  readonly registry: ResourceRegistry;
}

/** Everything before the route: authentication → impersonation → in-flight limits or flow control → authorization. */
export class Gate {
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /**
   * Lets a request in, as `as` if that is given. Gives the function that frees the request's slot, at once unless
   * something has to be waited for.
   *
   * @throws ApiError Unauthorized, Forbidden, TooManyRequests
   */
  admit(state: RequestState, as: UserInfo | undefined): (() => void) | Promise<() => void> {
    const since = this.#options.metrics === undefined ? 0 : performance.now();
    const found = as ?? this.#authenticate(state);
    // Whoever is known already, acts as himself and need not wait is let in at once: nearly everyone.
    if (found instanceof Promise || impersonates(state.req)) return this.#identify(state, found, since);
    state.user = found;
    return this.#letIn(state, this.#passed("authentication", since));
  }

  async #identify(state: RequestState, found: UserInfo | Promise<UserInfo>, sinceMs: number): Promise<() => void> {
    const { req } = state;
    state.user = await found;
    let since = this.#passed("authentication", sinceMs);
    if (impersonates(req)) {
      const acting = await impersonate(req, state.user, this.#options.authorization);
      state.impersonatedBy = state.user;
      state.user = acting;
      dropImpersonationHeaders(req);
      since = this.#passed("impersonation", since);
    }
    return this.#letIn(state, since);
  }

  #letIn(state: RequestState, since: number): (() => void) | Promise<() => void> {
    state.longRunning ||= this.#isLongRunning(state);
    const entered = this.#enter(state);
    if (entered instanceof Promise) return entered.then((leave) => this.#authorize(state, leave, since));
    return this.#authorize(state, entered, since);
  }

  #authorize(state: RequestState, leave: () => void, sinceMs: number): (() => void) | Promise<() => void> {
    const since = this.#passed("priorityandfairness", sinceMs);
    const forbid = (error: unknown): never => {
      leave();
      state.decision = "forbid";
      throw error;
    };
    const allow = ({ reason = "" }: Decision): (() => void) => {
      state.decision = "allow";
      state.reason = reason;
      this.#passed("authorization", since);
      return leave;
    };
    let decided: Decision | Promise<Decision>;
    try {
      decided = this.#options.authorization.check(attributesOf(state.user, state.info));
    } catch (error) {
      return forbid(error);
    }
    return decided instanceof Promise ? decided.then(allow, forbid) : allow(decided);
  }

  /** Counts the time a filter took; gives the time now, when the next begins. */
  #passed(filter: RequestFilter, since: number): number {
    const { metrics } = this.#options;
    if (metrics === undefined) return 0;
    const now = performance.now();
    metrics.observeFilter(filter, (now - since) / 1000);
    return now;
  }

  /** Finds out who asks, on the record. @throws ApiError Unauthorized */
  #authenticate(state: RequestState): UserInfo | Promise<UserInfo> {
    const { metrics } = this.#options;
    if (metrics === undefined) return this.#options.authentication.authenticate(state.req, state);
    const from = performance.now();
    const seconds = () => (performance.now() - from) / 1000;
    const known = (user: UserInfo): UserInfo => {
      metrics.observeAuthentication("success", seconds(), user);
      return user;
    };
    const refused = (error: unknown): never => {
      metrics.observeAuthentication(error instanceof ApiError ? "failure" : "error", seconds(), undefined);
      throw error;
    };
    try {
      const found = this.#options.authentication.authenticate(state.req, state);
      return found instanceof Promise ? found.then(known, refused) : known(found);
    } catch (error) {
      return refused(error);
    }
  }

  /** Takes the request's place among those that are worked on. Long requests take none, but starting a watch does. */
  #enter(state: RequestState): (() => void) | Promise<() => void> {
    const { info, user, longRunning } = state;
    const flow = this.#options.flowControl;
    if (flow === undefined) return longRunning ? () => {} : this.#options.inFlight.enter(info, user);
    if (longRunning && info.verb !== "watch") return () => {};
    const classified = flow.classify(info, user);
    state.flow = classified;
    if (!info.isResourceRequest) setFlowHeaders(state.res, classified);
    const entered = flow.enter(classified, info, user, this.#seatsOf(info), () => state.signal);
    if (!longRunning) return entered;
    // The seats of a watch are for its first events; after that it costs next to nothing.
    const started = (leave: () => void) => {
      setImmediate(leave);
      return () => {};
    };
    return entered instanceof Promise ? entered.then(started) : started(entered);
  }

  /** A list takes more of the server the more objects there are. */
  #seatsOf({ verb, apiGroup, apiVersion, resource }: RequestInfo): number {
    if (verb !== "list") return 1;
    const objects = this.#options.registry.served(apiGroup, apiVersion, resource)?.view?.core.storage.cache.size ?? 0;
    return Math.min(maxSeats, Math.max(1, Math.ceil(objects / objectsPerSeat)));
  }

  #isLongRunning(state: RequestState): boolean {
    const { info } = state;
    if (!info.isResourceRequest) return info.path.startsWith("/debug/pprof/");
    if (info.verb === "watch") return true;
    if (info.subresource === "") return false;
    if (this.#options.aggregator?.serves(info.apiGroup, info.apiVersion)) return isRemoteLongRunning(info);
    const handler = this.#options.handlers?.[`${info.apiGroup}/${info.resource}/${info.subresource}`];
    const long = handler?.longRunning ?? false;
    return typeof long === "function" ? long(info, state.query) : long;
  }
}
