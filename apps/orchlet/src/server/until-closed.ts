import type { HttpHandler } from "@orchernetes/kernel";

/** Makes a handler resolve when its response is closed, so that the span of a request covers a streamed response. */
export const untilClosed =
  (handler: HttpHandler): HttpHandler =>
  (request, response) =>
    new Promise((resolve, reject) => {
      response.once("close", resolve);
      Promise.resolve(handler(request, response)).catch(reject);
    });
