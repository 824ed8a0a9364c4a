import { messageOf } from "@orchernetes/kernel";
import { type StatusReason, statusCodes } from "./reason.ts";
import type { Status, StatusDetails } from "./status.ts";

/** A failed API request as an exception, with the Status that the client receives. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: Status;

  constructor(status: Status, options?: { readonly cause?: unknown }) {
    super(status.message ?? "", options);
    this.status = status;
  }

  /** HTTP status code; 500 if the Status has none. */
  get code(): number {
    return this.status.code ?? 500;
  }

  /** Seconds that the client should wait before it retries; also in the header `Retry-After`. */
  get retryAfterSeconds(): number | undefined {
    return this.status.details?.retryAfterSeconds || undefined;
  }
}

/**
 * Creates a Status of a failure.
 *
 * @param reason "" for errors without a reason
 * @param code @default the reason's code
 */
export function failure(
  reason: StatusReason | "",
  message: string,
  details?: StatusDetails,
  code: number = reason === "" ? 500 : statusCodes[reason],
): Status {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    ...(reason === "" ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  };
}

/** Creates a Status of success, the response of DELETE for collections and most kinds. */
export function success(details?: StatusDetails): Status {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    ...(details === undefined ? {} : { details }),
  };
}

/** The Status of any thrown value: an ApiError's own, or an internal error with the cause's message. */
export function statusOf(error: unknown): Status {
  if (error instanceof ApiError) {
    return error.status;
  }
  const message = messageOf(error);
  return failure("InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });
}
