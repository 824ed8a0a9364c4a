import { ApiError, genericServerResponse } from "@orchernetes/apimachinery";
import { ReviewError } from "./review-error.ts";

/**
 * The error to report for a service without a usable answer: for a status other than 2xx the Status in the answer, or what clients
 * of the original say of its code and text. Other errors stay as they are.
 */
export function statusError(error: unknown): unknown {
  if (!(error instanceof ReviewError) || error.answer === undefined) return error;
  const { text, status } = error.answer;
  if (status !== undefined) return new ApiError(status);
  return genericServerResponse({ code: error.status, verb: "POST", serverMessage: text });
}
