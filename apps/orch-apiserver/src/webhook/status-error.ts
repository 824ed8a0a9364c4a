import { ApiError, genericServerResponse } from "@orchernetes/apimachinery";
import { ReviewError } from "./review-error.ts";

/**
 * Returns the error to report if there is no usable response. For a status other than 2xx it is the Status in the response, or the error
 * that upstream's clients make of the code and the text. Other errors are returned unchanged.
 */
export function statusError(error: unknown): unknown {
  if (!(error instanceof ReviewError) || error.answer === undefined) return error;
  const { text, status } = error.answer;
  if (status !== undefined) return new ApiError(status);
  return genericServerResponse({ code: error.status, verb: "POST", serverMessage: text });
}
