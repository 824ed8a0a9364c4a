import { ApiError, goQuote, type Status } from "@orchernetes/apimachinery";

/** A webhook could not be asked, or its answer cannot be used: its failure policy decides. */
export class WebhookCallError extends Error {
  override readonly name = "WebhookCallError";
  /** Status code under which the failure is counted. */
  readonly code: number;

  constructor(webhook: string, reason: string, options: { readonly code: number; readonly cause?: unknown }) {
    super(`failed calling webhook ${goQuote(webhook)}: ${reason}`, { cause: options.cause });
    this.code = options.code;
  }
}

/** A webhook denied the request. */
export class WebhookDenial extends Error {
  override readonly name = "WebhookDenial";
  /** What the client is answered. */
  readonly error: ApiError;

  constructor(error: ApiError) {
    super(error.message);
    this.error = error;
  }
}

const MIN_CODE = 400;
const MAX_CODE = 599;

/** The denial of a webhook. Codes that are none of an error become 400, or 500 beyond those that HTTP knows. */
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
