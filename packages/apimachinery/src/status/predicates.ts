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
  if (error.status.reason !== undefined && error.status.reason in statusCodes) {
    return error.status.reason === reason;
  }
  // Servers that name no reason, or one that is not known here, are read by code.
  return error.status.code === statusCodes[reason] && !sharedCodes.has(reason);
}

/** Reasons that are not the first meaning of their code. */
const sharedCodes: ReadonlySet<StatusReason> = new Set(["AlreadyExists", "Expired", "ServerTimeout"]);

export const isNotFound = (error: unknown): boolean => has(error, "NotFound");
export const isAlreadyExists = (error: unknown): boolean => has(error, "AlreadyExists");
export const isConflict = (error: unknown): boolean => has(error, "Conflict");
export const isInvalid = (error: unknown): boolean => has(error, "Invalid");
export const isBadRequest = (error: unknown): boolean => has(error, "BadRequest");
export const isUnauthorized = (error: unknown): boolean => has(error, "Unauthorized");
export const isForbidden = (error: unknown): boolean => has(error, "Forbidden");
export const isMethodNotSupported = (error: unknown): boolean => has(error, "MethodNotAllowed");
export const isNotAcceptable = (error: unknown): boolean => has(error, "NotAcceptable");
export const isUnsupportedMediaType = (error: unknown): boolean => has(error, "UnsupportedMediaType");
export const isGone = (error: unknown): boolean => has(error, "Gone");
/** 410 Expired or Gone: list anew. */
export const isExpired = (error: unknown): boolean => has(error, "Expired") || has(error, "Gone");
export const isTimeout = (error: unknown): boolean => has(error, "Timeout");
export const isServerTimeout = (error: unknown): boolean => has(error, "ServerTimeout");
export const isInternalError = (error: unknown): boolean => has(error, "InternalError");
export const isTooManyRequests = (error: unknown): boolean => has(error, "TooManyRequests");
export const isServiceUnavailable = (error: unknown): boolean => has(error, "ServiceUnavailable");
export const isRequestEntityTooLarge = (error: unknown): boolean => has(error, "RequestEntityTooLarge");

/** Whether a cause with this reason is among the error's details. */
export function hasCause(error: unknown, reason: string): boolean {
  return error instanceof ApiError && (error.status.details?.causes ?? []).some((cause) => cause.reason === reason);
}

/** Whether creating failed because the namespace is going away. */
export const hasNamespaceTerminatingCause = (error: unknown): boolean => hasCause(error, "NamespaceTerminating");
