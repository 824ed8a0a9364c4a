import { ApiError, goQuote, type Status } from "@orchernetes/apimachinery";

/** A webhook could not be called, or its response cannot be used. The failure policy of the webhook decides what happens. */
export class WebhookCallError extends Error {
  override readonly name = "WebhookCallError";
  /** Status code of the failure in metrics. */
  readonly code: number;

  constructor(webhook: string, reason: string, options: { readonly code: number; readonly cause?: unknown }) {
    super(`failed calling webhook ${goQuote(webhook)}: ${reason}`, { cause: options.cause });
    this.code = options.code;
  }
}

/** A webhook denied the request. */
export class WebhookDenial extends Error {
  override readonly name = "WebhookDenial";
  /** The error for the client. */
  readonly error: ApiError;

  constructor(error: ApiError) {
    super(error.message);
    this.error = error;
  }
}

const MIN_CODE = 400;
const MAX_CODE = 599;

/** Returns the error for a write that a webhook denied. Codes below 400 become 400, codes that HTTP does not define become 500. */
export function denialOf(webhook: string, given: Status | undefined): WebhookDenial {
  const denied = `admission webhook ${goQuote(webhook)} denied the request`;
  const { message, reason, code = 0, details } = given ?? { metadata: {} };
  const why = message || reason;
  const status: Status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: why ? `${denied}: ${why}` : `${denied} without explanation`,
    ...(reason && { reason }),
    ...(details && { details }),
    code: code < MIN_CODE ? MIN_CODE : code > MAX_CODE ? 500 : code,
  };
  return new WebhookDenial(new ApiError(status));
}
