import type { RequestState } from "../http/request-state.ts";
import type { Tracer } from "../interfaces/index.ts";

/** Serves a request in a span of its own, which says what was asked, by whom it was asked through, and how it was answered. */
export function traceRequest(tracer: Tracer, state: RequestState, serve: () => Promise<void>): Promise<void> {
  const { req } = state;
  return tracer.request(req, "OrchernetesAPI", async (span) => {
    try {
      await serve();
    } finally {
      span?.set({
        "http.method": req.method,
        "http.target": req.url,
        "http.scheme": "https",
        "http.flavor": req.httpVersionMajor === 2 ? "2.0" : "1.1",
        "http.user_agent": req.headers["user-agent"],
        "http.status_code": state.code,
        "http.response_content_length": state.responseBytes,
        "audit-id": state.auditId,
        verb: state.info.verb,
        group: state.info.apiGroup || undefined,
        resource: state.info.resource || undefined,
      });
      if (state.code >= 500) span?.fail(`HTTP status ${state.code}`);
    }
  });
}
