import type { RequestCase } from "./request-case.ts";
import type { RawResponse } from "./response-parser.ts";

/** Paths whose responses are plain text, errors included. */
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
 * Says what is wrong with a response. Allowed 5xx are: 504 for a resource version in the future, a failed health
 * check, and the errors of a proxied node or pod that cannot be reached.
 */
export function judgeAnswer({ method, target }: RequestCase, response: RawResponse): string | undefined {
  const { status, headers } = response;
  const text = response.body.toString();
  const body = headers["content-type"]?.startsWith("application/json") ? statusOf(text) : undefined;
  if (status >= 500 && !isExpectedFailure(target, status, text, body))
    return `${status} for ${method}: ${text.slice(0, 400)}`;
  if (status < 400 || method === "HEAD" || !/^\/apis?\//.test(target) || textPath.test(target)) return undefined;
  if (body === undefined) {
    // Without a Status is right for a path outside the API (/api/v1/x/y/..), an Accept header for another form, and a
    // request that the HTTP layer rejected.
    return /json/.test(headers["content-type"] ?? "") ? `${status} without a Status: ${text.slice(0, 200)}` : undefined;
  }
  if (body.kind !== "Status" || body.status !== "Failure")
    return `${status} without a Status of failure: ${text.slice(0, 200)}`;
  if (typeof body.message !== "string" || body.message === "")
    return `${status} without a message: ${text.slice(0, 200)}`;
  if (body.code !== status) return `${status} with code ${String(body.code)} in its Status`;
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
  // On a starved machine, checks miss their deadlines. The canary watches liveness.
  if (status === 500 && /^\/(?:healthz|livez|readyz)/.test(target)) return text.includes("failed: reason withheld");
  const message = String(body?.message ?? "");
  // The text is searched because the body may have any encoding; that of HEAD is empty.
  if (status === 504) {
    if (text.includes("ResourceVersionTooLarge")) return true;
    // The timeout parameter of the request may expire before the server has waited long enough for the version.
    return target.includes("resourceVersion=") && (text === "" || target.includes("timeout="));
  }
  // There is no node, and nothing listens at the addresses of pods and services.
  return (
    /\/(?:proxy|log|exec|attach|portforward)(?:[/?]|$)/.test(target) &&
    /dial|connect|lookup|ECONN|ENOTFOUND|no endpoints|no preferred addresses|resolve/i.test(message)
  );
}
