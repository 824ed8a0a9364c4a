import { genericServerResponse } from "@orchernetes/apimachinery";
import { ReviewError } from "./review-error.ts";

/**
 * The error to report for a service without a usable answer: for a status other than 2xx what clients of the original say of it, which
 * leaves out what the service wrote. Other errors stay as they are.
 */
export function statusError(error: unknown): unknown {
  if (!(error instanceof ReviewError) || error.failure !== "status") return error;
  return genericServerResponse({ code: error.status, verb: "POST" });
}
