import { genericServerResponse } from "@orchernetes/apimachinery";
import { respond } from "@orchernetes/component";
import type { HttpRequest, HttpResponse } from "@orchernetes/kernel";

const common = { "x-content-type-options": "nosniff", "cache-control": "no-store" } as const;

/** Responds with text. */
export function answerText(request: HttpRequest, response: HttpResponse, text: string): void {
  respond(request, response, 200, { ...common, "content-type": "text/plain; charset=utf-8" }, text);
}

/** Responds with JSON. @param status @default 200 */
export function answerJson(request: HttpRequest, response: HttpResponse, value: unknown, status = 200): void {
  respond(request, response, status, { ...common, "content-type": "application/json" }, JSON.stringify(value));
}

/** Responds with a Status, whose message clients show. A client that gets 429 may try again after a second. */
export function answerError(request: HttpRequest, response: HttpResponse, code: number, message: string): void {
  if (code === 429) response.setHeader("retry-after", "1");
  answerJson(request, response, genericServerResponse({ code, message }).status, code);
}

/** A request that cannot be answered, with the code of the response. */
export class Unanswerable extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Whether the request reads; responds 405 if it does not. */
export function isRead(request: HttpRequest, response: HttpResponse): boolean {
  if (request.method === "GET" || request.method === "HEAD") return true;
  response.setHeader("allow", "GET, HEAD");
  answerError(request, response, 405, `found method ${request.method}; want GET`);
  return false;
}

/** A signal that aborts when the client no longer waits for the response. */
export function clientGone(response: HttpResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  return gone.signal;
}
