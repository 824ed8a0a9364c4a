import type { UserInfo } from "@orchernetes/auth";
import type { HttpRequest } from "@orchernetes/kernel";
import type { RequestInfo } from "../interfaces/index.ts";
import type { AuditAnnotations } from "./annotations.ts";

/** A request as a recorder sees it; fields have the values of the time of each stage. */
export interface AuditedRequest {
  readonly req: HttpRequest;
  readonly info: RequestInfo;
  readonly auditId: string;
  readonly startedMs: number;
  /** Whether the request may last as long as the client wants. */
  readonly longRunning: boolean;
  /** The user that the request acts as: after an impersonation, the impersonated one. */
  readonly user: UserInfo;
  /** The user who impersonates `user`. */
  readonly impersonatedBy: UserInfo | undefined;
  /** `allow` or `forbid`; "" before authorization. */
  readonly decision: string;
  readonly reason: string;
  readonly annotations: AuditAnnotations | undefined;
  /** How long it waited for admission webhooks, in milliseconds. @default it did not */
  readonly webhookTimes?: { readonly mutatingMs: number; readonly validatingMs: number } | undefined;
}

/**
 * The audit of one request. Its methods are called in the order of the stages. If one returns a promise, the request
 * waits for it: the next step, or the response, must not happen before.
 */
export interface RequestAudit {
  /**
   * Stage RequestReceived: the client is known, nothing else has happened.
   *
   * @throws ApiError InternalError if the request must not be served without this record, which cannot be written
   */
  received(): void | Promise<void>;
  /** The decoded body, before defaults and admission. The caller may change the object afterwards. */
  requestObject(object: object): void;
  /** A patch in any of its forms, as JSON. */
  requestPatch(document: unknown): void;
  /** Stage ResponseStarted, for long-running requests only: the head of the response was written. */
  responseStarted(code: number): void;
  /** The object of the response, if possible with its JSON. Not called for streams. */
  responseObject(value: object, json?: Uint8Array): void;
  /** Stage Panic instead of ResponseComplete: the request failed unexpectedly. */
  panicked(error: unknown): void;
  /**
   * Stage ResponseComplete. Called before the response is sent if it is sent as a whole, otherwise after its end. Only
   * the first call has an effect. The promise never rejects.
   *
   * @param code status of the response; 0 if none was sent
   */
  completed(code: number): void | Promise<void>;
  /** Whether {@link responseObject} has an effect: for responses whose JSON would be produced only for the record. */
  readonly wantsResponse: boolean;
}

/** Decides which requests are recorded, and records them. */
export interface AuditRecorder {
  /** Whether responses wait for their records, so that a client never has a response without one. */
  readonly holdsAnswers: boolean;
  /** Called once the client is known; undefined if the request is not to be recorded. */
  begin(request: AuditedRequest): RequestAudit | undefined;
  /** Called instead of {@link begin} if the client could not be authenticated. */
  beginUnauthenticated(request: AuditedRequest): RequestAudit | undefined;
}
