import { targetOf } from "@orchernetes/component";
import type { HttpHandler } from "@orchernetes/kernel";
import type { Tracer } from "./tracer.ts";

/**
 * Wraps a handler so that each sampled request is recorded as a span. Responses with a 5xx status mark it as failed.
 */
export function tracedHandler(tracer: Tracer, name: string, handler: HttpHandler): HttpHandler {
  return (request, response) =>
    tracer.request(request, name, async (span) => {
      try {
        await handler(request, response);
      } finally {
        const { path } = targetOf(request);
        span?.set({ "http.method": request.method, "http.target": path, "http.status_code": response.statusCode });
        if (response.statusCode >= 500) span?.fail(`HTTP status ${response.statusCode}`);
      }
    });
}
