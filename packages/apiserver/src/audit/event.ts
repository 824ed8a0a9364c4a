import type { Status } from "@orchernetes/apimachinery";
import type { UserInfo } from "@orchernetes/auth";
import type { AuditLevel } from "../interfaces/index.ts";
import type { AuditStage } from "./policy.ts";

/** The object that a request is about. Empty fields are left out of events. */
export interface AuditedObjectReference {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resourceVersion: string;
  readonly subresource: string;
}

/**
 * The JSON of the fields between the stage and the status of an event: what is requested, by whom and from where. Events of one request
 * share it; only the first creates it, unless impersonation or a body tells more.
 */
export class SharedTexts {
  #text = "";
  #impersonated: UserInfo | undefined;
  #reference: AuditedObjectReference | undefined;

  of(event: AuditEventFields): string {
    const { impersonatedUser, objectRef } = event;
    if (this.#text === "" || impersonatedUser !== this.#impersonated || objectRef !== this.#reference) {
      this.#impersonated = impersonatedUser;
      this.#reference = objectRef;
      this.#text = requestJson(event);
    }
    return this.#text;
  }
}

/** Fields of an event. */
export interface AuditEventFields {
  readonly shared: SharedTexts;
  readonly level: AuditLevel;
  readonly auditId: string;
  readonly stage: AuditStage;
  readonly requestUri: string;
  readonly verb: string;
  /** Undefined if the client could not be authenticated. */
  readonly user: UserInfo | undefined;
  readonly impersonatedUser: UserInfo | undefined;
  readonly sourceIps: readonly string[];
  readonly userAgent: string;
  readonly objectRef: AuditedObjectReference | undefined;
  readonly responseStatus: Partial<Status> | undefined;
  /** JSON. */
  readonly requestObject: string | undefined;
  /** JSON. */
  readonly responseObject: string | undefined;
  /** RFC 3339 with microseconds. */
  readonly receivedAt: string;
  readonly stageAt: string;
  /** `allow` or `forbid`; "" before authorization. */
  readonly decision: string;
  /** The reason of the decision; without one, the reason why there is none. */
  readonly reason: string;
  /** Annotations other than decision and reason. */
  readonly annotations: ReadonlyMap<string, string> | undefined;
}

/** Annotation of events without the bodies that they should have. */
export const truncatedAnnotation = "audit.o8s.io/truncated";

/** A record of a request (`Event` of audit.o8s.io/v1). */
export class AuditEvent {
  readonly fields: AuditEventFields;
  #json: string | undefined;

  constructor(fields: AuditEventFields) {
    this.fields = fields;
  }

  /** The event as JSON without a line feed. Created once, for all backends. */
  get json(): string {
    this.#json ??= jsonOf(this.fields);
    return this.#json;
  }

  /** The event as an item of an EventList: without kind and apiVersion, which the list determines. */
  get itemJson(): string {
    return `{${this.json.slice(typeMeta.length)}`;
  }

  /** The event without its bodies, and with an annotation that records their removal. */
  withoutBodies(): AuditEvent {
    const annotations = new Map(this.fields.annotations).set(truncatedAnnotation, "true");
    return new AuditEvent({ ...this.fields, requestObject: undefined, responseObject: undefined, annotations });
  }
}

function jsonOf(fields: AuditEventFields): string {
  const { shared, level, auditId, stage } = fields;
  const request = shared.of(fields);
  return `${typeMeta}"level":"${level}","auditID":"${auditId}","stage":"${stage}"${request}${endOf(fields)}`;
}

const typeMeta = '{"kind":"Event","apiVersion":"audit.o8s.io/v1",';

/** Printable ASCII without quotes and backslashes, which JSON escapes. */
const plain = /^[ !#-[\]-~]*$/;

const q = (text: string): string => (plain.test(text) ? `"${text}"` : JSON.stringify(text));

/**
 * What {@link SharedTexts} keeps. It is concatenated from strings: there are events of each request, and most of their parts are known as
 * text. Unquoted are only words of this program, times, addresses, and identifiers that the server has checked.
 */
function requestJson({
  requestUri,
  verb,
  user,
  impersonatedUser,
  sourceIps,
  userAgent,
  objectRef,
}: AuditEventFields): string {
  let text = `,"requestURI":${q(requestUri)},"verb":${q(verb)},"user":${user === undefined ? "{}" : userJson(user)}`;
  if (impersonatedUser !== undefined) text += `,"impersonatedUser":${userJson(impersonatedUser)}`;
  if (sourceIps.length > 0) text += `,"sourceIPs":["${sourceIps.join('","')}"]`;
  if (userAgent !== "") text += `,"userAgent":${q(userAgent)}`;
  if (objectRef !== undefined) text += `,"objectRef":${referenceJson(objectRef)}`;
  return text;
}

/** The end of an event: what its stage tells. */
function endOf(event: AuditEventFields): string {
  const { responseStatus, requestObject, responseObject, receivedAt, stageAt } = event;
  let text = responseStatus === undefined ? "" : `,"responseStatus":${statusJson(responseStatus)}`;
  if (requestObject !== undefined) text += `,"requestObject":${requestObject}`;
  if (responseObject !== undefined) text += `,"responseObject":${responseObject}`;
  return `${text},"requestReceivedTimestamp":"${receivedAt}","stageTimestamp":"${stageAt}"${annotationsJson(event)}}`;
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
  let text = `{"resource":${q(reference.resource)}`;
  if (namespace !== "") text += `,"namespace":${q(namespace)}`;
  if (name !== "") text += `,"name":${q(name)}`;
  if (uid !== "") text += `,"uid":${q(uid)}`;
  if (apiGroup !== "") text += `,"apiGroup":${q(apiGroup)}`;
  if (apiVersion !== "") text += `,"apiVersion":${q(apiVersion)}`;
  if (resourceVersion !== "") text += `,"resourceVersion":${q(resourceVersion)}`;
  if (subresource !== "") text += `,"subresource":${q(subresource)}`;
  return `${text}}`;
}

function statusJson({ status, message, reason, details, code }: Partial<Status>): string {
  if (status === undefined && message === undefined) return `{"metadata":{},"code":${code ?? 0}}`;
  return JSON.stringify({ metadata: {}, status, message, reason, details, code });
}

const decisionKey = "authorization.o8s.io/decision";
const reasonKey = "authorization.o8s.io/reason";

function annotationsJson({ decision, reason, annotations }: AuditEventFields): string {
  const decided = decision !== "" || reason !== "";
  if (annotations === undefined) {
    if (!decided) return "";
    const first = decision === "" ? "" : `"${decisionKey}":"${decision}",`;
    return `,"annotations":{${first}"${reasonKey}":${q(reason)}}`;
  }
  const parts: string[] = [];
  if (decision !== "") parts.push(`"${decisionKey}":"${decision}"`);
  if (decided) parts.push(`"${reasonKey}":${q(reason)}`);
  for (const [key, value] of annotations) parts.push(`${q(key)}:${q(value)}`);
  return `,"annotations":{${parts.sort().join(",")}}`;
}
