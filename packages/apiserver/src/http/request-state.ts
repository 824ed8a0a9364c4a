import { randomUUID } from "node:crypto";
import type { UserInfo } from "@orchernetes/auth";
import { type HttpRequest, type HttpResponse, isGone } from "@orchernetes/kernel";
import { AuditAnnotations } from "../audit/annotations.ts";
import { holdEnd } from "../audit/hold-end.ts";
import type { AuditRecorder, RequestAudit } from "../audit/recorder.ts";
import { reportStart } from "../audit/started-response.ts";
import type { Classified } from "../flow-control/flow-controller.ts";
import type { AuditLevel, CompletedRequest, Query, RequestInfo, WebhookPhase } from "../interfaces/index.ts";
import type { YamlThread } from "../yaml/yaml-thread.ts";
import { parseQuery } from "./parse-query.ts";
import { WebhookTimes } from "./webhook-times.ts";

const maxAuditIdLength = 64;
const auditIdPattern = /^[A-Za-z0-9-]+$/;

const unknownInfo: RequestInfo = Object.freeze({
  isResourceRequest: false,
  path: "",
  verb: "",
  apiPrefix: "",
  apiGroup: "",
  apiVersion: "",
  namespace: "",
  resource: "",
  subresource: "",
  name: "",
  parts: [],
  watchPath: false,
  query: "",
});

const anyone: UserInfo = Object.freeze({ name: "", groups: [], extra: {} });

/**
 * The state of one request, from its arrival to its record.
 *
 * One object of one class for each request, with all fields from the start: the request path is hot code, and property
 * accesses of objects of the same shape are fast. What only some requests need (query, signal, annotations) is created
 * on first use.
 */
export class RequestState {
  readonly req: HttpRequest;
  #res: HttpResponse;
  readonly startedMs: number;
  readonly auditId: string;
  /** Whether the response may be compressed. */
  readonly compressible: boolean;
  info: RequestInfo = unknownInfo;
  user: UserInfo = anyone;
  impersonatedBy: UserInfo | undefined;
  decision = "";
  reason = "";
  code = 0;
  longRunning = false;
  /** When its time is over, in milliseconds since 1970; undefined if it may take as long as it likes. */
  deadlineMs: number | undefined;
  /** Undefined if no admission webhook was called. */
  webhookTimes: WebhookTimes | undefined;
  /** Bytes of the body that was read. */
  requestBytes = 0;
  /** Bytes of the response body, before compression. */
  responseBytes = 0;
  /** Whether the request timed out and 504 was sent. Work on it may still continue. */
  timedOut = false;
  /** Whether that work failed later. */
  failedLate = false;
  /** Writes long responses as YAML in a thread; without it they are written synchronously. */
  yaml: YamlThread | undefined;
  /** Flow schema and priority level, with priority and fairness. */
  flow: Classified | undefined;
  readonly warnings: string[] = [];
  /** Annotations of the audit events; undefined if nothing is audited. */
  readonly annotations: AuditAnnotations | undefined;
  /** Records the request; undefined if it is not audited. */
  audit: RequestAudit | undefined;
  /** Settles when a response that waits for its audit record has been sent. */
  held: Promise<void> | undefined;
  readonly #recorder: AuditRecorder | undefined;
  #query: Query | undefined;
  #controller: AbortController | undefined;
  #abortReason: unknown;
  #aborted = false;

  constructor(
    req: HttpRequest,
    res: HttpResponse,
    startedMs: number,
    compressible = true,
    recorder: AuditRecorder | undefined = undefined,
  ) {
    this.req = req;
    this.#res = res;
    this.startedMs = startedMs;
    this.compressible = compressible;
    this.#recorder = recorder;
    this.annotations = recorder === undefined ? undefined : new AuditAnnotations();
    const given = req.headers["audit-id"];
    this.auditId =
      typeof given === "string" && given.length <= maxAuditIdLength && auditIdPattern.test(given)
        ? given
        : randomUUID();
  }

  get res(): HttpResponse {
    return this.#res;
  }

  /** Replaces the response, before anything has been sent. */
  answerThrough(res: HttpResponse): void {
    this.#res = res;
  }

  /** The parsed query; parsed once. */
  get query(): Query {
    this.#query ??= parseQuery(this.info.query);
    return this.#query;
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  /**
   * Aborted when the client disconnects, the request times out or the server stops. Created on first use: most requests
   * end without it.
   */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#abortReason);
      // A stream that is closed already emits no further event.
      else if (isGone(this.res)) this.#closed();
      else this.res.once("close", this.#closed);
    }
    return this.#controller.signal;
  }

  /** Notes the time that an admission webhook took, in milliseconds. */
  addWebhookTime(phase: WebhookPhase, elapsedMs: number): void {
    this.webhookTimes ??= new WebhookTimes();
    this.webhookTimes.add(phase, elapsedMs);
  }

  /** Ends the work on this request. Idempotent. */
  abort(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#abortReason = reason;
    this.#controller?.abort(reason);
  }

  /** A short request has no work left once its response is complete. */
  readonly #closed = (): void => {
    if (this.longRunning || !this.res.writableEnded) this.abort(new Error("the client closed the connection"));
  };

  readonly warn = (message: string): void => {
    this.warnings.push(message);
  };

  readonly annotate = (key: string, value: string, level?: AuditLevel): void => {
    this.annotations?.set(key, value, level);
  };

  /**
   * Begins the audit record, when the client is known. Returns a promise if the request has to wait for its first
   * record.
   *
   * @throws ApiError InternalError if the request must not be served without that record
   */
  record(): void | Promise<void> {
    if (this.#recorder === undefined) return;
    this.audit = this.#recorder.begin(this);
    return this.audit?.received();
  }

  /** From now on, the head of a long-running response is recorded, and the end of a short one waits for its record. */
  recordAnswer(): void {
    const { audit } = this;
    if (audit === undefined) return;
    if (this.longRunning) reportStart(this.res, audit);
    else if (this.#recorder?.holdsAnswers === true)
      holdEnd(
        this.res,
        (code) => audit.completed(code),
        (sent) => {
          this.held = sent;
        },
      );
  }

  /** Begins the record of a request whose client could not be authenticated. */
  recordUnauthenticated(): void {
    this.audit = this.#recorder?.beginUnauthenticated(this);
  }

  /** The record of this request for audit and access logs. */
  completed(): CompletedRequest {
    const forwarded = this.req.headers["user-agent"];
    return {
      auditId: this.auditId,
      requestInfo: this.info,
      user: this.user === anyone ? undefined : this.user,
      impersonatedBy: this.impersonatedBy,
      code: this.code,
      startedMs: this.startedMs,
      annotations: this.annotations?.values ?? new Map(),
      decision: this.decision,
      reason: this.reason,
      sourceIp: this.req.socket?.remoteAddress ?? "",
      userAgent: typeof forwarded === "string" ? forwarded : "",
    };
  }
}
