import { ApiError, failure, genericServerResponse, type Status } from "@orchernetes/apimachinery";

/**
 * Whether the server ended the request itself, as counted by `apiserver_request_terminations_total`: overload,
 * shutdown, timeout, crash.
 */
export function terminates({ code, reason }: Status): boolean {
  return code === 429 || code === 503 || code === 504 || (code === 500 && reason === "InternalError");
}

/**
 * The Status for a request that the HTTP parser rejects. @param code of the parser's error, such as
 * `HPE_INVALID_METHOD`
 */
export function clientErrorStatus(code: string): Status {
  if (code === "HPE_INVALID_METHOD") return genericServerResponse({ code: 405 }).status;
  if (code === "HPE_HEADER_OVERFLOW") {
    return failure("BadRequest", "the request's header fields are too large", undefined, 431);
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return failure("Timeout", "Timeout: the request took too long to arrive", undefined, 408);
  return failure("BadRequest", "the request is not valid HTTP");
}

/** The error for requests to a server that drains: 429, to be retried elsewhere. */
export function shuttingDown(): ApiError {
  return new ApiError(
    failure("TooManyRequests", "The apiserver is shutting down, please try again later.", { retryAfterSeconds: 5 }),
  );
}
