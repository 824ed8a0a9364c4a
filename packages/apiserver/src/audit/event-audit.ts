import { formatDuration, internalError, type Status } from "@orchernetes/apimachinery";
import type { UserInfo } from "@orchernetes/auth";
import { messageOf } from "@orchernetes/kernel";
import { AuditEvent } from "./event.ts";
import { type AuditEventFields, type AuditedObjectReference, SharedTexts } from "./event-fields.ts";
import { withoutManagedFields } from "./managed-fields.ts";
import { completedBy, referenceOf } from "./object-reference.ts";
import type { AuditStage, AuditVerdict } from "./policy.ts";
import type { PolicyRecorderOptions } from "./policy-recorder-options.ts";
import type { AuditedRequest, RequestAudit } from "./recorder.ts";
import { sourceIps } from "./source-ips.ts";
import type { Timestamps } from "./timestamps.ts";

/** The parts that the audits of all requests share. */
export interface RecordingParts extends Omit<PolicyRecorderOptions, "policy"> {
  readonly timestamps: Timestamps;
}

/** Limit of the recorded user agent, in characters, as upstream's. */
const maxUserAgent = 1024;
/** Requests that take longer get an annotation with their duration, in milliseconds. */
const slowMs = 500;

/** The part of an event that all stages of a request share. */
type RequestFacts = Pick<
  AuditEventFields,
  "shared" | "level" | "auditId" | "requestUri" | "verb" | "user" | "sourceIps" | "userAgent" | "receivedAt"
>;

const closedEarly: Partial<Status> = { status: "Success", message: "Connection closed early", code: 200 };

/** Creates the events of one request. */
export class EventAudit implements RequestAudit {
  readonly #parts: RecordingParts;
  readonly #request: AuditedRequest;
  readonly #verdict: AuditVerdict;
  /** Undefined if the client could not be authenticated. */
  readonly #user: UserInfo | undefined;
  #facts: RequestFacts | undefined;
  readonly #pathReference: AuditedObjectReference | undefined;
  #objectRef: AuditedObjectReference | undefined;
  #status: Partial<Status> | undefined;
  #requestObject: string | undefined;
  #responseObject: string | undefined;
  #started = false;
  #done = false;
  #panicked = false;

  constructor(parts: RecordingParts, request: AuditedRequest, verdict: AuditVerdict, user: UserInfo | undefined) {
    this.#parts = parts;
    this.#request = request;
    this.#verdict = verdict;
    this.#user = user;
    this.#pathReference = referenceOf(request.info);
    this.#objectRef = this.#pathReference;
  }

  get wantsResponse(): boolean {
    return this.#verdict.level === "RequestResponse";
  }

  received(): void | Promise<void> {
    const kept = this.#emit("RequestReceived");
    if (kept === true) return;
    if (kept === false) throw this.#rejection();
    return kept.then((late) => {
      if (!late) throw this.#rejection();
    });
  }

  requestObject(object: object): void {
    if (this.#objectRef !== undefined) this.#objectRef = completedBy(this.#objectRef, object);
    if (this.#verdict.level !== "Metadata") this.#requestObject = this.#body(JSON.stringify(object));
  }

  requestPatch(document: unknown): void {
    if (this.#verdict.level !== "Metadata") this.#requestObject = this.#body(JSON.stringify(document));
  }

  responseStarted(code: number): void {
    if (this.#started || this.#done) return;
    this.#started = true;
    this.#status = { ...this.#status, code };
    void this.#emit("ResponseStarted");
  }

  responseObject(value: object, json?: Uint8Array): void {
    if (this.#done || this.#panicked) return;
    if ((value as { kind?: unknown }).kind === "Status") {
      const { status, message, reason, details, code } = value as Status;
      this.#status = { status, message, reason, details, code } as Partial<Status>;
    }
    if (!this.wantsResponse) return;
    this.#responseObject = this.#body(json === undefined ? JSON.stringify(value) : Buffer.from(json).toString());
  }

  panicked(error: unknown): void {
    this.#panicked = true;
    const message = `APIServer panic'd: ${messageOf(error)}`;
    this.#status = { status: "Failure", message, reason: "InternalError", code: 500 } as Partial<Status>;
  }

  completed(code: number): void | Promise<void> {
    if (this.#done) return;
    this.#done = true;
    if (code === 0) this.#status ??= closedEarly;
    else if (this.#status?.code !== code && !this.#panicked) this.#status = { ...this.#status, code };
    const kept = this.#emitLast();
    if (typeof kept !== "boolean") return kept.then(() => undefined);
  }

  #emitLast(): boolean | Promise<boolean> {
    // A request of an unauthenticated client has one record, when it is rejected.
    if (this.#user === undefined) return this.#emit("ResponseStarted");
    if (this.#request.longRunning && !this.#started && !this.#panicked) void this.#emit("ResponseStarted");
    if (this.#panicked) return this.#emit("Panic");
    this.#noteLatency();
    return this.#emit("ResponseComplete");
  }

  #noteLatency(): void {
    const { longRunning, startedMs, annotations, webhookTimes } = this.#request;
    const elapsedMs = this.#parts.clock.nowMs() - startedMs;
    if (longRunning || elapsedMs <= slowMs) return;
    annotations?.set("apiserver.latency.o8s.io/total", formatDuration(elapsedMs));
    const { mutatingMs = 0, validatingMs = 0 } = webhookTimes ?? {};
    if (mutatingMs > 0) annotations?.set("apiserver.latency.o8s.io/mutating-webhook", formatDuration(mutatingMs));
    if (validatingMs > 0) annotations?.set("apiserver.latency.o8s.io/validating-webhook", formatDuration(validatingMs));
  }

  #rejection(): Error {
    this.#parts.counts.rejected();
    this.#done = true;
    return internalError(new Error("failed to store audit event"));
  }

  #emit(stage: AuditStage): boolean | Promise<boolean> {
    if (this.#verdict.omitStages.has(stage)) return true;
    const { sink, counts, clock, timestamps } = this.#parts;
    const { impersonatedBy, user, decision, reason, annotations } = this.#request;
    const others = annotations?.at(this.#verdict.level);
    this.#facts ??= this.#factsOf();
    const { shared, level, auditId, requestUri, verb, sourceIps: ips, userAgent, receivedAt } = this.#facts;
    counts.event();
    return sink.process(
      new AuditEvent({
        shared,
        level,
        auditId,
        stage,
        requestUri,
        verb,
        user: this.#user,
        impersonatedUser: impersonatedBy === undefined ? undefined : user,
        sourceIps: ips,
        userAgent,
        objectRef: this.#objectRef,
        responseStatus: this.#status,
        requestObject: this.#requestObject,
        responseObject: this.#responseObject,
        receivedAt,
        stageAt: stage === "RequestReceived" ? receivedAt : timestamps.of(clock.nowMs()),
        decision,
        reason,
        // A copy: further annotations may be added before the event is written.
        annotations: others && new Map(others),
      }),
    );
  }

  #factsOf(): RequestFacts {
    const { req, info, auditId, startedMs } = this.#request;
    const agent = req.headers["user-agent"] ?? "";
    return {
      shared: new SharedTexts(this.#pathReference),
      level: this.#verdict.level,
      auditId,
      requestUri: req.url ?? "",
      verb: info.verb,
      user: this.#user,
      sourceIps: sourceIps(req.headers, req.socket?.remoteAddress),
      userAgent: agent.length > maxUserAgent ? `${agent.slice(0, maxUserAgent)}...TRUNCATED` : agent,
      receivedAt: this.#parts.timestamps.of(startedMs),
    };
  }

  #body(json: string): string {
    return this.#verdict.omitManagedFields ? withoutManagedFields(json) : json;
  }
}
