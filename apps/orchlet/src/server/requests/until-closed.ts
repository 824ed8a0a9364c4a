import type { ServerResponse } from "node:http";
import type { Clock, HttpHandler } from "@orchernetes/kernel";

/** Time that a request may take, in milliseconds: as of the original's server, which ends the logs that are followed then, too. */
const longestMs = 4 * 3_600_000;

/**
 * Maximum number of listeners of a response: those of express, the limits of the port and a stream exceed the default of Node.js.
 */
const maxListeners = 20;

/**
 * Makes a handler resolve when its response is closed, so that the span of a request covers a streamed response. A response that takes
 * longer than four hours is cut off. Upgraded connections have their own limit.
 */
export const untilClosed =
  (handler: HttpHandler, clock: Pick<Clock, "setTimeout">): HttpHandler =>
  (request, response) =>
    new Promise((resolve, reject) => {
      (response as ServerResponse).setMaxListeners(maxListeners);
      const timer = clock.setTimeout(() => (response as ServerResponse).destroy(), longestMs).unref();
      response.once("close", () => {
        timer.clear();
        resolve();
      });
      Promise.resolve(handler(request, response)).catch(reject);
    });
