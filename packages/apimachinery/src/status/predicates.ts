import { ApiError } from "./api-error.ts";
import type { StatusReason } from "./reason.ts";
import { statusCodes } from "./reason.ts";

/** The reason of an API error; "Unknown" for other errors and for a Status without one. */
export function reasonForError(error: unknown): string {
  return error instanceof ApiError ? (error.status.reason ?? "Unknown") : "Unknown";
}

function has(error: unknown, reason: StatusReason): boolean {
  if (!(error instanceof ApiError)) {
    return false;
  }
  if (error.status.reason !== undefined && Object.hasOwn(statusCodes, error.status.reason)) {
    return error.status.reason === reason;
  }
  // If the reason is missing or unknown, the code decides.
  return error.status.code === statusCodes[reason] && !sharedCodes.has(reason);
}

/** Reasons that share their code with a more common one. */
const sharedCodes: ReadonlySet<StatusReason> = new Set(["AlreadyExists", "Expired", "ServerTimeout"]);

/** 404 NotFound. */
export const isNotFound = (error: unknown): boolean => has(error, "NotFound");
/** 409 AlreadyExists: an object of that name exists. */
export const isAlreadyExists = (error: unknown): boolean => has(error, "AlreadyExists");
/** 409 Conflict: the resourceVersion is stale; read the object again and retry. */
export const isConflict = (error: unknown): boolean => has(error, "Conflict");
/** 422 Invalid: validation failed. */
export const isInvalid = (error: unknown): boolean => has(error, "Invalid");
/** 400 BadRequest. */
export const isBadRequest = (error: unknown): boolean => has(error, "BadRequest");
/** 401 Unauthorized: the credentials are missing or invalid. */
export const isUnauthorized = (error: unknown): boolean => has(error, "Unauthorized");
/** 403 Forbidden: denied by authorization or admission. */
export const isForbidden = (error: unknown): boolean => has(error, "Forbidden");
/** 405 MethodNotAllowed. */
export const isMethodNotSupported = (error: unknown): boolean => has(error, "MethodNotAllowed");
/** 406 NotAcceptable. */
export const isNotAcceptable = (error: unknown): boolean => has(error, "NotAcceptable");
/** 415 UnsupportedMediaType. */
export const isUnsupportedMediaType = (error: unknown): boolean => has(error, "UnsupportedMediaType");
/** 410 Gone. */
export const isGone = (error: unknown): boolean => has(error, "Gone");
/** 410 Expired or Gone: the client must list again. */
export const isExpired = (error: unknown): boolean => has(error, "Expired") || has(error, "Gone");
/** 504 Timeout: the operation may or may not have happened. */
export const isTimeout = (error: unknown): boolean => has(error, "Timeout");
/** 500 ServerTimeout: a retry is safe. */
export const isServerTimeout = (error: unknown): boolean => has(error, "ServerTimeout");
/** 500 InternalError. */
export const isInternalError = (error: unknown): boolean => has(error, "InternalError");
/** 429 TooManyRequests: retry after the seconds of `Retry-After`. */
export const isTooManyRequests = (error: unknown): boolean => has(error, "TooManyRequests");
/** 503 ServiceUnavailable. */
export const isServiceUnavailable = (error: unknown): boolean => has(error, "ServiceUnavailable");
/** 413 RequestEntityTooLarge. */
export const isRequestEntityTooLarge = (error: unknown): boolean => has(error, "RequestEntityTooLarge");

/** Whether a cause with this reason is among the error's details. */
export function hasCause(error: unknown, reason: string): boolean {
  return error instanceof ApiError && (error.status.details?.causes ?? []).some((cause) => cause.reason === reason);
}

/** Whether a creation failed because the namespace is terminating. */
export const hasNamespaceTerminatingCause = (error: unknown): boolean => hasCause(error, "NamespaceTerminating");
