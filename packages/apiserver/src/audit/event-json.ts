import type { Status } from "@orchernetes/apimachinery";
import type { UserInfo } from "@orchernetes/auth";
import type { AuditLevel } from "../interfaces/index.ts";
import type { AuditEventFields, AuditedObjectReference } from "./event-fields.ts";
import type { AuditStage } from "./policy.ts";

// Events are concatenated from strings: there are some of each request, and most of their parts are known as text. The price of a text is
// the number of its pieces, hence those that many events have in common are kept in one piece. Unquoted are only words of this program,
// times, addresses, and identifiers that the server has checked.

/** What every event begins with. */
export const TYPE_META = '{"kind":"Event","apiVersion":"audit.o8s.io/v1",';

const startOf = (level: AuditLevel): string => `${TYPE_META}"level":"${level}","auditID":"`;
const starts: Readonly<Record<AuditLevel, string>> = {
  None: startOf("None"),
  Metadata: startOf("Metadata"),
  Request: startOf("Request"),
  RequestResponse: startOf("RequestResponse"),
};
const stages: Readonly<Record<AuditStage, string>> = {
  RequestReceived: '","stage":"RequestReceived","requestURI":',
  ResponseStarted: '","stage":"ResponseStarted","requestURI":',
  ResponseComplete: '","stage":"ResponseComplete","requestURI":',
  Panic: '","stage":"Panic","requestURI":',
};

/** An event as JSON without a line feed. */
export function eventJson(event: AuditEventFields): string {
  return starts[event.level] + event.auditId + stages[event.stage] + requestJson(event) + endJson(event);
}

/** Printable ASCII without quotes and backslashes, which JSON escapes. */
const plain = /^[ !#-[\]-~]*$/;

const q = (text: string): string => (plain.test(text) ? `"${text}"` : JSON.stringify(text));

/** The same text in one piece: the engine copies the pieces of a text when one of its characters is asked for. */
function inOnePiece(text: string): string {
  text.charCodeAt(0);
  return text;
}

/** What {@link SharedTexts} keeps. */
function requestJson(event: AuditEventFields): string {
  const { shared, impersonatedUser, objectRef } = event;
  if (shared.text === "" || impersonatedUser !== shared.impersonated || objectRef !== shared.reference) {
    shared.impersonated = impersonatedUser;
    shared.reference = objectRef;
    const reference = objectRef === undefined ? "" : referenceJson(objectRef);
    shared.text = inOnePiece(q(event.requestUri) + clientJson(event) + reference);
  }
  return shared.text;
}

/** Who asks for what from where: the same in most requests of a client. */
interface ClientText {
  readonly address: string;
  readonly userAgent: string;
  readonly text: string;
}

/** The last text of each verb of a user. Users are objects that requests with the same credentials share. */
const clientTexts = new WeakMap<UserInfo, Map<string, ClientText>>();
/** Clients choose verbs over HTTP/2. */
const MAX_VERBS = 16;

function clientJson(event: AuditEventFields): string {
  const { verb, user, impersonatedUser, sourceIps, userAgent } = event;
  const [address = ""] = sourceIps;
  if (user === undefined || impersonatedUser !== undefined || sourceIps.length > 1) return newClientJson(event);
  let texts = clientTexts.get(user);
  if (texts === undefined) {
    texts = new Map();
    clientTexts.set(user, texts);
  }
  const known = texts.get(verb);
  if (known !== undefined && known.address === address && known.userAgent === userAgent) return known.text;
  const text = inOnePiece(newClientJson(event));
  if (known !== undefined || texts.size < MAX_VERBS) texts.set(verb, { address, userAgent, text });
  return text;
}

function newClientJson({ verb, user, impersonatedUser, sourceIps, userAgent }: AuditEventFields): string {
  let text = `,"verb":${q(verb)},"user":${user === undefined ? "{}" : userJson(user)}`;
  if (impersonatedUser !== undefined) text += `,"impersonatedUser":${userJson(impersonatedUser)}`;
  if (sourceIps.length > 0) text += `,"sourceIPs":["${sourceIps.join('","')}"]`;
  if (userAgent !== "") text += `,"userAgent":${q(userAgent)}`;
  return text;
}

const userTexts = new WeakMap<UserInfo, string>();

/** The JSON of a user, kept with the user object, which requests with the same credentials share. */
function userJson(user: UserInfo): string {
  let text = userTexts.get(user);
  if (text === undefined) {
    const { name, uid, groups, extra } = user;
    text = JSON.stringify({
      ...(name !== "" && { username: name }),
      ...(uid && { uid }),
      ...(groups.length > 0 && { groups }),
      ...(Object.keys(extra).length > 0 && { extra }),
    });
    userTexts.set(user, text);
  }
  return text;
}

/** Requests for resources always have a resource. */
function referenceJson(reference: AuditedObjectReference): string {
  const { namespace, name, uid, apiGroup, apiVersion, resourceVersion, subresource } = reference;
  let text = `,"objectRef":{"resource":${q(reference.resource)}`;
  if (namespace !== "") text += `,"namespace":${q(namespace)}`;
  if (name !== "") text += `,"name":${q(name)}`;
  if (uid !== "") text += `,"uid":${q(uid)}`;
  if (apiGroup !== "") text += `,"apiGroup":${q(apiGroup)}`;
  if (apiVersion !== "") text += `,"apiVersion":${q(apiVersion)}`;
  if (resourceVersion !== "") text += `,"resourceVersion":${q(resourceVersion)}`;
  if (subresource !== "") text += `,"subresource":${q(subresource)}`;
  return `${text}}`;
}

/** The end of an event: what its stage tells. */
function endJson(event: AuditEventFields): string {
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

/** The last times and their text: many events share a millisecond. */
let times = { receivedAt: "", stageAt: "", text: "" };

function timesJson(receivedAt: string, stageAt: string): string {
  if (times.receivedAt !== receivedAt || times.stageAt !== stageAt) {
    const text = inOnePiece(`,"requestReceivedTimestamp":"${receivedAt}","stageTimestamp":"${stageAt}"`);
    times = { receivedAt, stageAt, text };
  }
  return times.text;
}

const decisionKey = "authorization.o8s.io/decision";
const reasonKey = "authorization.o8s.io/reason";
/** Annotations of requests that were allowed, by reason; the role bindings of a cluster are the reasons of most. */
const allowedTexts = new Map<string, string>();
const MAX_REASONS = 256;

/** The annotations, and the brace that ends the event. */
function annotationsJson({ decision, reason, annotations }: AuditEventFields): string {
  if (decision === "" && reason === "" && annotations === undefined) return "}";
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
  return `,"annotations":{${parts.sort().join(",")}}}`;
}
