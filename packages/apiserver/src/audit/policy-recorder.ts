import { internalError, type Status } from "@orchernetes/apimachinery";
import type { UserInfo } from "@orchernetes/auth";
import type { Clock } from "@orchernetes/kernel";
import { AuditEvent, type AuditEventFields, type AuditedObjectReference } from "./event.ts";
import type { AuditLevel, AuditPolicyEvaluator, AuditStage, AuditVerdict } from "./policy.ts";
import type { AuditedRequest, AuditRecorder, RequestAudit } from "./recorder.ts";
import { sourceIps } from "./source-ips.ts";

/** Where events go. */
export interface AuditSink {
  /**
   * Takes an event. A promise asks the request to wait; it never rejects.
   *
   * @returns false if the event is lost and its request must not be served
   */
  process(event: AuditEvent): boolean | Promise<boolean>;
}

/** Counts what is recorded. */
export interface AuditCounts {
  event(): void;
  /** The level that the policy has for a request. */
  level(level: AuditLevel): void;
  /** A request was refused because it could not be recorded. */
  rejected(): void;
}

/** Parts of {@link createPolicyRecorder}. */
export interface PolicyRecorderOptions {
  readonly policy: AuditPolicyEvaluator;
  readonly sink: AuditSink;
  readonly counts: AuditCounts;
  readonly clock: Pick<Clock, "nowMs">;
}

interface RecordingParts extends PolicyRecorderOptions {
  readonly timestamps: Timestamps;
}

/** Records requests as a policy says. */
export function createPolicyRecorder(options: PolicyRecorderOptions): AuditRecorder {
  const parts: RecordingParts = { ...options, timestamps: new Timestamps() };
  const begin = (request: AuditedRequest, user: UserInfo | undefined): RequestAudit | undefined => {
    const verdict = parts.policy.evaluate(request.info, user);
    parts.counts.level(verdict.level);
    return verdict.level === "None" ? undefined : new EventAudit(parts, request, verdict, user);
  };
  return {
    begin: (request) => begin(request, request.user),
    beginUnauthenticated: (request) => begin(request, undefined),
  };
}

/** Times as RFC 3339 with microseconds. Many requests have the same millisecond. */
class Timestamps {
  #ms = Number.NaN;
  #text = "";

  of(ms: number): string {
    if (ms !== this.#ms) {
      this.#ms = ms;
      this.#text = `${new Date(ms).toISOString().slice(0, -1)}000Z`;
    }
    return this.#text;
  }
}

const maxUserAgent = 1024;

/** The part of an event that all stages of a request share. */
type RequestFacts = Pick<
  AuditEventFields,
  "level" | "auditId" | "requestUri" | "verb" | "user" | "sourceIps" | "userAgent" | "receivedAt"
>;

const closedEarly: Partial<Status> = { status: "Success", message: "Connection closed early", code: 200 };

/** Makes the events of one request. */
class EventAudit implements RequestAudit {
  readonly #parts: RecordingParts;
  readonly #request: AuditedRequest;
  readonly #verdict: AuditVerdict;
  /** Undefined if the client could not be authenticated. */
  readonly #user: UserInfo | undefined;
  #facts: RequestFacts | undefined;
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
    this.#complete(object);
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
    const message = `APIServer panic'd: ${error instanceof Error ? error.message : String(error)}`;
    this.#status = { status: "Failure", message, reason: "InternalError", code: 500 } as Partial<Status>;
  }

  completed(code: number): void | Promise<void> {
    if (this.#done) return;
    this.#done = true;
    if (this.#user === undefined) return this.#unauthenticated(code);
    if (code === 0) this.#status ??= closedEarly;
    else if (this.#status?.code !== code && !this.#panicked) this.#status = { ...this.#status, code };
    if (this.#request.longRunning && !this.#started) void this.#emit("ResponseStarted");
    const kept = this.#emit(this.#panicked ? "Panic" : "ResponseComplete");
    if (typeof kept !== "boolean") return kept.then(() => undefined);
  }

  /** A request of an unknown client has one record, when it is refused. */
  #unauthenticated(code: number): void | Promise<void> {
    const { headers } = this.#request.req;
    const [scheme = ""] = (headers.authorization ?? "").trim().split(" ", 1);
    const method = /^(?:basic|bearer)$/i.test(scheme) ? scheme.toLowerCase() : "";
    const how = method === "" ? "no credentials provided" : `attempted: ${method}`;
    this.#status = { status: "Failure", message: `Authentication failed, ${how}`, reason: "Unauthorized", code };
    const kept = this.#emit("ResponseStarted");
    if (typeof kept !== "boolean") return kept.then(() => undefined);
  }

  #rejection(): Error {
    this.#parts.counts.rejected();
    this.#done = true;
    return internalError(new Error("failed to store audit event"));
  }

  #emit(stage: AuditStage): boolean | Promise<boolean> {
    if (this.#verdict.omitStages.has(stage)) return true;
    const { sink, counts, clock, timestamps } = this.#parts;
    const { impersonatedBy, user } = this.#request;
    this.#facts ??= this.#factsOf();
    this.#objectRef ??= this.#reference();
    const { level, auditId, requestUri, verb, user: client, sourceIps: ips, userAgent, receivedAt } = this.#facts;
    counts.event();
    return sink.process(
      new AuditEvent({
        level,
        auditId,
        stage,
        requestUri,
        verb,
        user: client,
        impersonatedUser: impersonatedBy === undefined ? undefined : user,
        sourceIps: ips,
        userAgent,
        objectRef: this.#objectRef,
        responseStatus: this.#status,
        requestObject: this.#requestObject,
        responseObject: stage === "ResponseStarted" ? undefined : this.#responseObject,
        receivedAt,
        stageAt: timestamps.of(clock.nowMs()),
        annotations: this.#annotations(),
      }),
    );
  }

  #factsOf(): RequestFacts {
    const { req, info, auditId, startedMs } = this.#request;
    const agent = req.headers["user-agent"] ?? "";
    return {
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

  #annotations(): ReadonlyMap<string, string> | undefined {
    const { decision, reason, annotations } = this.#request;
    if (decision === "" && reason === "") return annotations?.values && new Map(annotations.values);
    const all = new Map<string, string>();
    if (decision !== "") all.set("authorization.o8s.io/decision", decision);
    all.set("authorization.o8s.io/reason", reason);
    if (annotations?.values !== undefined) for (const [key, value] of annotations.values) all.set(key, value);
    return all;
  }

  #reference(): AuditedObjectReference | undefined {
    const { info } = this.#request;
    if (!info.isResourceRequest) return undefined;
    const { resource, namespace, name, apiGroup, apiVersion, subresource } = info;
    return { resource, namespace, name, uid: "", apiGroup, apiVersion, resourceVersion: "", subresource };
  }

  /** Adds to the reference what only the body says: the name of an object to create, the version of one to update. */
  #complete(object: object): void {
    const { metadata } = object as { metadata?: Readonly<Record<string, unknown>> };
    const reference = this.#objectRef ?? this.#reference();
    if (reference === undefined || metadata === undefined) return;
    const from = (own: string, field: string): string => {
      const value = metadata[field];
      return own === "" && typeof value === "string" ? value : own;
    };
    this.#objectRef = {
      ...reference,
      namespace: from(reference.namespace, "namespace"),
      name: from(reference.name, "name"),
      uid: from("", "uid"),
      resourceVersion: from("", "resourceVersion"),
    };
  }

  #body(json: string): string {
    return this.#verdict.omitManagedFields ? withoutManagedFields(json) : json;
  }
}

/** An object or list as JSON without the owners of its fields. */
function withoutManagedFields(json: string): string {
  const value = JSON.parse(json) as { items?: unknown; rows?: unknown } | null;
  if (typeof value !== "object" || value === null) return json;
  dropManagedFields(value);
  if (Array.isArray(value.items)) for (const item of value.items) dropManagedFields(item);
  if (Array.isArray(value.rows))
    for (const row of value.rows) dropManagedFields((row as { object?: unknown } | null)?.object);
  return JSON.stringify(value);
}

function dropManagedFields(object: unknown): void {
  const metadata = (object as { metadata?: unknown } | null | undefined)?.metadata;
  if (typeof metadata === "object" && metadata !== null) Reflect.deleteProperty(metadata, "managedFields");
}
