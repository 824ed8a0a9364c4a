import type { Authentication, Authorization, Decision, UserInfo } from "@orchernetes/auth";
import type { EventLoop } from "@orchernetes/kernel";
import { dropImpersonationHeaders, impersonate } from "../filters/impersonation.ts";
import type { MaxInFlight } from "../filters/max-in-flight.ts";
import type { RequestState } from "../http/request-state.ts";
import { setFlowHeaders } from "../http/respond.ts";
import type { RequestInfo } from "../interfaces/index.ts";
import { attributesOf } from "../interfaces/request-info.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";
import type { ServingOptions } from "./server-options.ts";

/**
 * Objects per seat of a list, and the limit of seats (KEP-1040, "width" of requests; upstream's work estimator has the
 * same limit of 10).
 */
const objectsPerSeat = 100;
const maxSeats = 10;

/** Releases the seats of a request in flight. Called exactly once. */
export type Leave = () => void;

/**
 * The steps that a request passes before it is routed. Each of them is synchronous unless it has to wait for something.
 */
export interface GateSteps {
  /** The authenticated user; `as` if that is given. @throws ApiError Unauthorized */
  identify(state: RequestState, as: UserInfo | undefined): UserInfo | Promise<UserInfo>;
  /** Replaces the user of the request by the impersonated one. @throws ApiError Forbidden, BadRequest */
  impersonate(state: RequestState): void | Promise<void>;
  /** Waits for a place among the requests in flight. @throws ApiError TooManyRequests */
  enter(state: RequestState): Leave | Promise<Leave>;
  /** Asks the authorizers. @throws ApiError Forbidden */
  authorize(state: RequestState): Decision | Promise<Decision>;
}

/** Audit reason of requests that no authorizer decided on because some of them failed. */
export const failedAuthorization = "internal error";

/** Stores the authorizers' decision on a request for its records. */
export function noteDecision(state: RequestState, decision: Decision): void {
  const failed = decision.type === "NoOpinion" && decision.errors !== undefined;
  state.reason = failed ? failedAuthorization : (decision.reason ?? "");
  if (decision.type === "NoOpinion" || decision.annotations === undefined) return;
  for (const [key, value] of Object.entries(decision.annotations)) state.annotations?.set(key, value);
}

/** Dependencies of {@link createGateSteps}. */
export interface GateParts extends Pick<ServingOptions, "flowControl"> {
  readonly authentication: Pick<Authentication, "authenticate">;
  readonly authorization: Authorization;
  readonly inFlight: MaxInFlight;
  readonly registry: ResourceRegistry;
  readonly loop: EventLoop;
}

/** The steps: authentication, impersonation, in-flight limits or flow control, authorization. */
export function createGateSteps(parts: GateParts): GateSteps {
  const { authentication, authorization } = parts;
  return {
    identify: (state, as) => as ?? authentication.authenticate(state.req, state),
    async impersonate(state) {
      const acting = await impersonate(state.req, state.user, authorization);
      state.impersonatedBy = state.user;
      state.user = acting;
      dropImpersonationHeaders(state.req);
    },
    enter: (state) => enter(parts, state),
    authorize: (state) =>
      authorization.check(
        attributesOf(state.user, state.info),
        state.annotations && ((decision) => noteDecision(state, decision)),
      ),
  };
}

/**
 * Long-running requests take no place: a few thousand of them would use up all places for hours. Starting a watch does,
 * since its initial events can be as much work as a list.
 */
function enter({ flowControl, inFlight, loop, registry }: GateParts, state: RequestState): Leave | Promise<Leave> {
  const { info, user, longRunning } = state;
  if (flowControl === undefined) return longRunning ? () => {} : inFlight.enter(info, user);
  if (longRunning && info.verb !== "watch") return () => {};
  const classified = flowControl.classify(info, user);
  state.flow = classified;
  if (!info.isResourceRequest) setFlowHeaders(state.res, classified);
  const entered = flowControl.enter(classified, info, user, seatsOf(registry, info), () => state.signal);
  if (!longRunning) return entered;
  // The seats of a watch cover its start; afterwards it costs next to nothing.
  const started = (leave: Leave) => {
    loop.defer(leave);
    return () => {};
  };
  return entered instanceof Promise ? entered.then(started) : started(entered);
}

/**
 * Seats of a request. A list costs the more the more objects the resource has, whether or not a selector matches them.
 */
function seatsOf(registry: ResourceRegistry, { verb, apiGroup, apiVersion, resource }: RequestInfo): number {
  if (verb !== "list") return 1;
  const objects = registry.find(apiGroup, apiVersion, resource)?.store?.served.storage.cache.size ?? 0;
  return Math.min(maxSeats, Math.max(1, Math.ceil(objects / objectsPerSeat)));
}
