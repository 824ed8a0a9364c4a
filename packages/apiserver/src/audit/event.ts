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

/** Fields of an event. Texts of JSON are kept as they are. */
export interface AuditEventFields {
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

  /** The event as JSON, without a line feed. Made once. */
  get json(): string {
    this.#json ??= jsonOf(this.fields);
    return this.#json;
  }

  /** The event as an item of an EventList, which says for all of its items what they are. */
  get itemJson(): string {
    return `{${this.json.slice(typeMeta.length)}`;
  }

  /** The event without its bodies, and with an annotation that says so. */
  withoutBodies(): AuditEvent {
    const annotations = new Map(this.fields.annotations).set(truncatedAnnotation, "true");
    return new AuditEvent({ ...this.fields, requestObject: undefined, responseObject: undefined, annotations });
  }
}

const typeMeta = '{"kind":"Event","apiVersion":"audit.o8s.io/v1",';

const q = (text: string): string => JSON.stringify(text);

/** Written by hand: an event is made for each stage of each request, and most of its parts are known as text. */
function jsonOf(event: AuditEventFields): string {
  const { user, impersonatedUser, userAgent, objectRef, responseStatus, requestObject, responseObject } = event;
  return (
    `${typeMeta}"level":"${event.level}","auditID":"${event.auditId}"` +
    `,"stage":"${event.stage}","requestURI":${q(event.requestUri)},"verb":${q(event.verb)}` +
    `,"user":${user === undefined ? "{}" : userJson(user)}` +
    (impersonatedUser === undefined ? "" : `,"impersonatedUser":${userJson(impersonatedUser)}`) +
    (event.sourceIps.length === 0 ? "" : `,"sourceIPs":${JSON.stringify(event.sourceIps)}`) +
    (userAgent === "" ? "" : `,"userAgent":${q(userAgent)}`) +
    (objectRef === undefined ? "" : `,"objectRef":${referenceJson(objectRef)}`) +
    (responseStatus === undefined ? "" : `,"responseStatus":${statusJson(responseStatus)}`) +
    (requestObject === undefined ? "" : `,"requestObject":${requestObject}`) +
    (responseObject === undefined ? "" : `,"responseObject":${responseObject}`) +
    `,"requestReceivedTimestamp":"${event.receivedAt}","stageTimestamp":"${event.stageAt}"` +
    (event.annotations === undefined ? "" : `,"annotations":${annotationsJson(event.annotations)}`) +
    "}"
  );
}

const userTexts = new WeakMap<UserInfo, string>();

/** Users are the same object for all requests with the same credentials. */
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

const referenceFields = [
  "resource",
  "namespace",
  "name",
  "uid",
  "apiGroup",
  "apiVersion",
  "resourceVersion",
  "subresource",
] as const;

function referenceJson(reference: AuditedObjectReference): string {
  let text = "{";
  for (const field of referenceFields) {
    const value = reference[field];
    if (value !== "") text += `${text === "{" ? "" : ","}"${field}":${q(value)}`;
  }
  return `${text}}`;
}

function statusJson({ status, message, reason, details, code }: Partial<Status>): string {
  if (status === undefined && message === undefined) return `{"metadata":{},"code":${code ?? 0}}`;
  return JSON.stringify({ metadata: {}, status, message, reason, details, code });
}

function annotationsJson(annotations: ReadonlyMap<string, string>): string {
  const parts: string[] = [];
  for (const [key, value] of annotations) parts.push(`${q(key)}:${q(value)}`);
  return `{${parts.sort().join(",")}}`;
}
