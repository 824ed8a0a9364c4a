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
  /** What the path alone names; the path, the verb and the client determine the text of an event with this reference. */
  readonly pathReference: AuditedObjectReference | undefined;
  text = "";
  impersonated: UserInfo | undefined;
  reference: AuditedObjectReference | undefined;

  constructor(pathReference: AuditedObjectReference | undefined) {
    this.pathReference = pathReference;
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
