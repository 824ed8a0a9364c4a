import { respond } from "@orchernetes/component";
import type { HttpRequest, HttpResponse } from "@orchernetes/kernel";

/** A request that cannot be served; its message is for who sent it. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  404: "NotFound",
  405: "MethodNotAllowed",
  500: "InternalError",
};

/** Answers with a Status object, which the API server hands on as it is. */
export function respondError(request: HttpRequest, response: HttpResponse, error: unknown): void {
  const code = error instanceof HttpError ? error.status : 500;
  const message = error instanceof Error ? error.message : String(error);
  const status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason: reasons[code] ?? "Unknown",
    code,
  };
  respond(request, response, code, { "content-type": "application/json" }, `${JSON.stringify(status)}\n`);
}
