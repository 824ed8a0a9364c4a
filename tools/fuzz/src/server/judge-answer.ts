import type { RequestCase } from "./request-case.ts";
import type { RawResponse } from "./response-parser.ts";

/** Paths that answer in text, whatever happens. */
const textPath =
  /^\/(?:healthz|livez|readyz|metrics|debug|logs|openid|\.well-known|version|openapi|configz|flagz|statusz)/;

interface StatusBody {
  readonly kind?: unknown;
  readonly status?: unknown;
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
}

/**
 * What is wrong with an answer. Allowed among the 5xx: 504 for a resource version that lies in the future, a health check that fails, and what a proxied node
 * or pod that cannot be reached is answered with.
 */
export function judgeAnswer({ method, target }: RequestCase, response: RawResponse): string | undefined {
  const { status, headers } = response;
  const text = response.body.toString();
  const body = headers["content-type"]?.startsWith("application/json") ? statusOf(text) : undefined;
  if (status >= 500 && !isExpectedFailure(target, status, text, body))
    return `${status} for ${method}: ${text.slice(0, 400)}`;
  if (status < 400 || method === "HEAD" || !/^\/apis?\//.test(target) || textPath.test(target)) return undefined;
  if (body === undefined) {
    // A path that shows no API (/api/v1/x/y/..), an Accept that asked for another form, or HTTP itself refused it.
    return /json/.test(headers["content-type"] ?? "") ? `${status} without a Status: ${text.slice(0, 200)}` : undefined;
  }
  if (body.kind !== "Status" || body.status !== "Failure")
    return `${status} is no failed Status: ${text.slice(0, 200)}`;
  if (typeof body.message !== "string" || body.message === "")
    return `${status} without a message: ${text.slice(0, 200)}`;
  if (body.code !== status) return `${status} whose Status says ${String(body.code)}`;
  return undefined;
}

function statusOf(text: string): StatusBody | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function isExpectedFailure(target: string, status: number, text: string, body: StatusBody | undefined): boolean {
  // A starved machine misses deadlines of checks; the canary looks after liveness.
  if (status === 500 && /^\/(?:healthz|livez|readyz)/.test(target)) return text.includes("failed: reason withheld");
  const message = String(body?.message ?? "");
  // In whatever encoding; HEAD has none.
  if (status === 504) {
    if (text.includes("ResourceVersionTooLarge")) return true;
    // The time that the request gives itself may be over before the server has waited for the version.
    return target.includes("resourceVersion=") && (text === "" || target.includes("timeout="));
  }
  // No node is there; nothing listens where these lead.
  return (
    /\/(?:proxy|log|exec|attach|portforward)(?:[/?]|$)/.test(target) &&
    /dial|connect|lookup|ECONN|ENOTFOUND|no endpoints|no preferred addresses|resolve/i.test(message)
  );
}
