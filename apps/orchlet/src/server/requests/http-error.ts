import { respond } from "@orchernetes/component";
import { type HttpRequest, type HttpResponse, messageOf } from "@orchernetes/kernel";

/** An error response; its message is sent to the client. */
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
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
};

/** Sends a Status object, which the API server forwards unchanged. An error that is not an HttpError gives 500. */
export function respondError(request: HttpRequest, response: HttpResponse, error: unknown): void {
  const code = error instanceof HttpError ? error.status : 500;
  const message = messageOf(error);
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

/** Sends plain text, like the kubelet's handlers that do not return objects. */
export function respondText(request: HttpRequest, response: HttpResponse, status: number, text: string): void {
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  respond(request, response, status, headers, `${text}\n`);
}
