import { badRequest, parseDuration } from "@orchernetes/apimachinery";
import type { RequestState } from "./request-state.ts";

/**
 * The timeout that a client requests by `?timeout=`, in milliseconds; undefined if absent or 0, which mean the server's own.
 *
 * @throws ApiError BadRequest if it is not a duration
 */
export function requestedTimeoutMs(state: RequestState): number | undefined {
  // Few requests have it; avoid parsing the query of the others.
  if (!state.info.query.includes("timeout=")) return undefined;
  const text = state.query.get("timeout") ?? "";
  if (text === "") return undefined;
  const ms = durationMs(text);
  if (ms === undefined)
    throw badRequest(
      `invalid timeout specified in the request URL - time: invalid duration ${JSON.stringify(text)}; want a duration such as 30s`,
    );
  return ms > 0 ? ms : undefined;
}

function durationMs(text: string): number | undefined {
  try {
    return parseDuration(text);
  } catch {
    return undefined;
  }
}
