import { ApiError } from "@orchernetes/apimachinery";
import { type Authentication, CredentialsRejected } from "@orchernetes/auth";
import type { ApiMetrics } from "../interfaces/index.ts";
import { timed } from "../observe/timed.ts";

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
