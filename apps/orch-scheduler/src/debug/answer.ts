import { respond } from "@orchernetes/component";
import type { HttpRequest, HttpResponse } from "@orchernetes/kernel";

const common = { "x-content-type-options": "nosniff", "cache-control": "no-store" } as const;

/** Responds with text. */
export function answerText(request: HttpRequest, response: HttpResponse, status: number, text: string): void {
  respond(request, response, status, { ...common, "content-type": "text/plain; charset=utf-8" }, text);
}

/** Responds with JSON. */
export function answerJson(request: HttpRequest, response: HttpResponse, value: unknown): void {
  respond(request, response, 200, { ...common, "content-type": "application/json" }, JSON.stringify(value));
}

/** A request that cannot be answered. */
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
  respond(
    request,
    response,
    405,
    { ...common, allow: "GET, HEAD", "content-type": "text/plain; charset=utf-8" },
    "want GET\n",
  );
  return false;
}

/** A signal that aborts when the client no longer waits for the response. */
export function clientGone(response: HttpResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  return gone.signal;
}
