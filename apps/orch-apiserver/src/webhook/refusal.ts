import type { IncomingMessage } from "node:http";
import { parseJsonText, type Status } from "@orchernetes/apimachinery";
import { type RefusalAnswer, ReviewError } from "./review-error.ts";

/** Maximum length of the part of a response that an error quotes. */
const QUOTED = 200;
/** Maximum length of a text of the service that is passed on to clients, as upstream. */
const MAX_TEXT = 2048;
const MAX_RETRY_AFTER_SECONDS = 60;

/** Returns the error for a response with a status other than 2xx. */
export function refusalOf(message: IncomingMessage, text: string, where: string): ReviewError {
  const status = message.statusCode ?? 0;
  return new ReviewError(`${where}: found status ${status}: ${quoted(text)}; accepted is 2xx with JSON`, {
    failure: "status",
    status,
    retryAfterMs: retryAfterMs(message),
    answer: answerOf(message, text),
  });
}

/** Quotes a text for an error, shortened if it is long. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length <= QUOTED ? text : `${text.slice(0, QUOTED)}… (${text.length} characters)`);

/** Returns header Retry-After in milliseconds if it is a number of seconds. Dates are ignored, as upstream. */
function retryAfterMs({ headers }: IncomingMessage): number | undefined {
  const found = headers["retry-after"]?.trim() ?? "";
  if (!/^[+-]?\d{1,18}$/.test(found)) return undefined;
  return Math.min(Math.max(Number(found), 0), MAX_RETRY_AFTER_SECONDS) * 1000;
}

function answerOf({ headers }: IncomingMessage, text: string): RefusalAnswer {
  const type = headers["content-type"];
  const isText = type === undefined || type.toLowerCase().startsWith("text/");
  return { text: isText ? text.slice(0, MAX_TEXT).trim() : "unknown", status: statusIn(text) };
}

function statusIn(text: string): Status | undefined {
  let found: unknown;
  try {
    found = parseJsonText(text);
  } catch {
    return undefined;
  }
  return failedStatus(found);
}

/** Returns a document as a Status if it is a Status of a failure. */
export function failedStatus(document: unknown): Status | undefined {
  if (typeof document !== "object" || document === null) return undefined;
  const { kind = "Status", apiVersion = "v1", status, message, code } = document as Readonly<Record<string, unknown>>;
  if (kind !== "Status" || apiVersion !== "v1" || status !== "Failure") return undefined;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: typeof message === "string" ? message.slice(0, MAX_TEXT) : "",
    code: Number.isInteger(code) ? Number(code) : 0,
  };
}
