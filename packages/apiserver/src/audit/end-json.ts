import type { Status } from "@orchernetes/apimachinery";
import type { AuditEventFields } from "./event-fields.ts";
import { inOnePiece, q } from "./json-text.ts";

/** What ends an event, and its line. */
const END = "}\n";

/** The end of an event without bodies, and what it tells. */
interface UsualEnd {
  readonly receivedAt: string;
  readonly stageAt: string;
  /** Undefined before there is a response. */
  readonly code: number | undefined;
  readonly decision: string;
  readonly reason: string;
  readonly text: string;
}

const none: UsualEnd = { receivedAt: "", stageAt: "", code: undefined, decision: "", reason: "", text: "" };
/** The last ends of requests that were received and of those that were answered: many events share a millisecond. */
let lastReceived = none;
let lastAnswered = none;

/** The end of an event's line, from the status of the response: what its stage tells. */
export function endJson(event: AuditEventFields): string {
  const { responseStatus, requestObject, responseObject, receivedAt, stageAt, decision, reason } = event;
  if (requestObject !== undefined || responseObject !== undefined || event.annotations !== undefined)
    return newEndJson(event);
  if (responseStatus?.status !== undefined || responseStatus?.message !== undefined) return newEndJson(event);
  const code = responseStatus?.code;
  const last = responseStatus === undefined ? lastReceived : lastAnswered;
  if (
    last.receivedAt === receivedAt &&
    last.stageAt === stageAt &&
    last.code === code &&
    last.decision === decision &&
    last.reason === reason
  )
    return last.text;
  const text = inOnePiece(newEndJson(event));
  const end = { receivedAt, stageAt, code, decision, reason, text };
  if (responseStatus === undefined) lastReceived = end;
  else lastAnswered = end;
  return text;
}

function newEndJson(event: AuditEventFields): string {
  const { responseStatus, requestObject, responseObject } = event;
  let text = responseStatus === undefined ? "" : statusJson(responseStatus);
  if (requestObject !== undefined) text += `,"requestObject":${requestObject}`;
  if (responseObject !== undefined) text += `,"responseObject":${responseObject}`;
  return text + timesJson(event.receivedAt, event.stageAt) + annotationsJson(event);
}

/** Statuses without a message, by code. */
const codeTexts = new Map<number, string>();
/** Aggregated servers choose codes. */
const MAX_CODES = 100;

function statusJson({ status, message, reason, details, code }: Partial<Status>): string {
  if (status !== undefined || message !== undefined)
    return `,"responseStatus":${JSON.stringify({ metadata: {}, status, message, reason, details, code })}`;
  const number = code ?? 0;
  let text = codeTexts.get(number);
  if (text === undefined) {
    text = inOnePiece(`,"responseStatus":{"metadata":{},"code":${number}}`);
    if (codeTexts.size < MAX_CODES) codeTexts.set(number, text);
  }
  return text;
}

const timesJson = (receivedAt: string, stageAt: string): string =>
  `,"requestReceivedTimestamp":"${receivedAt}","stageTimestamp":"${stageAt}"`;

const decisionKey = "authorization.o8s.io/decision";
const reasonKey = "authorization.o8s.io/reason";
/** Annotations of requests that were allowed, by reason; the role bindings of a cluster are the reasons of most. */
const allowedTexts = new Map<string, string>();
const MAX_REASONS = 256;

/** The annotations, and the end of the line. */
function annotationsJson({ decision, reason, annotations }: AuditEventFields): string {
  if (decision === "" && reason === "" && annotations === undefined) return END;
  if (decision !== "allow" || annotations !== undefined) return newAnnotationsJson(decision, reason, annotations);
  let text = allowedTexts.get(reason);
  if (text === undefined) {
    text = inOnePiece(newAnnotationsJson(decision, reason, annotations));
    if (allowedTexts.size >= MAX_REASONS) allowedTexts.clear();
    allowedTexts.set(reason, text);
  }
  return text;
}

function newAnnotationsJson(
  decision: string,
  reason: string,
  others: AuditEventFields["annotations"] = new Map(),
): string {
  const parts: string[] = [];
  if (decision !== "") parts.push(`"${decisionKey}":"${decision}"`);
  if (decision !== "" || reason !== "") parts.push(`"${reasonKey}":${q(reason)}`);
  for (const [key, value] of others) parts.push(`${q(key)}:${q(value)}`);
  return `,"annotations":{${parts.sort().join(",")}}${END}`;
}
