import type { RequestState } from "../http/request-state.ts";
import type { RequestInfo, Tracer } from "../interfaces/index.ts";

/**
 * Serves a request in a span of its own, which records the request and its response with upstream's attribute names.
 */
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

const titles: Readonly<Record<string, string>> = { deletecollection: "Delete collection" };

/** Runs the handler of an authorized request in a span named after the verb. */
export function traceHandler(tracer: Tracer, info: RequestInfo, serve: () => Promise<void>): Promise<void> {
  const { verb, apiGroup, apiVersion, namespace, resource, subresource, name } = info;
  const title = titles[verb] ?? `${verb.charAt(0).toUpperCase()}${verb.slice(1)}`;
  const about = {
    group: apiGroup || undefined,
    version: apiVersion,
    resource,
    subresource: subresource || undefined,
    namespace: namespace || undefined,
    name: name || undefined,
  };
  return tracer.span(title, about, serve);
}
