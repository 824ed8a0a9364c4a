import { ApiError } from "@orchernetes/apimachinery";
import { type Authentication, CredentialsRejected } from "@orchernetes/auth";
import type { ApiMetrics, RequestFilter } from "../interfaces/index.ts";
import { type CallObserver, timed } from "../observe/timed.ts";
import type { GateSteps } from "./gate-steps.ts";

/**
 * Decorates authentication with a metric, whose labels are upstream's: `failure` for missing credentials, `error` for credentials that are
 * invalid or could not be checked.
 */
export function measuredAuthentication(
  authentication: Pick<Authentication, "authenticate">,
  metrics: Pick<ApiMetrics, "observeAuthentication">,
): Pick<Authentication, "authenticate"> {
  return {
    authenticate: timed((req, notes) => authentication.authenticate(req, notes), {
      returned: (seconds, user) => metrics.observeAuthentication("success", seconds, user),
      threw: (seconds, error) => metrics.observeAuthentication(resultOf(error), seconds, undefined),
    }),
  };
}

const resultOf = (error: unknown): "failure" | "error" =>
  error instanceof ApiError && !(error instanceof CredentialsRejected) ? "failure" : "error";

/** Decorates the steps with metrics of the time that requests spend in each. Rejected requests are not measured. */
export function measuredSteps(steps: GateSteps, metrics: Pick<ApiMetrics, "observeFilter">): GateSteps {
  const passing = <T>(filter: RequestFilter): CallObserver<T> => ({
    returned: (seconds) => metrics.observeFilter(filter, seconds),
    threw: () => undefined,
  });
  const impersonate = timed(
    (state: Parameters<GateSteps["impersonate"]>[0]) => steps.impersonate(state),
    passing("impersonation"),
  );
  const enter = timed((state: Parameters<GateSteps["enter"]>[0]) => steps.enter(state), passing("priorityandfairness"));
  const authorize = timed(
    (state: Parameters<GateSteps["authorize"]>[0]) => steps.authorize(state),
    passing("authorization"),
  );
  return {
    identify: timed((state, as) => steps.identify(state, as), passing("authentication")),
    impersonate: (state) => impersonate(state, undefined),
    enter: (state) => enter(state, undefined),
    authorize: (state) => authorize(state, undefined),
  };
}
