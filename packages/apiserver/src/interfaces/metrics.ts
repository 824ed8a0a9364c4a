import type { ResourceDefinition } from "@orchernetes/apimachinery";
import type { UserInfo } from "@orchernetes/auth";
import type { HttpRequest } from "@orchernetes/kernel";
import type { AdmissionOperation } from "./admission.ts";
import type { RequestInfo } from "./request-info.ts";

/**
 * A request as metrics see it. Fields have the values of the time of the call: a request that was never authenticated
 * has the anonymous user, and one that fails early has no code.
 */
export interface MeasuredRequest {
  readonly info: RequestInfo;
  readonly req: HttpRequest;
  readonly user: UserInfo;
  /** HTTP status; 0 until the response is decided. */
  readonly code: number;
  /** Bytes of the body that was read. */
  readonly requestBytes: number;
  /** Bytes of the response body, before compression. */
  readonly responseBytes: number;
  /** How long it waited for admission webhooks, in milliseconds. @default it did not */
  readonly webhookTimes?: { readonly mutatingMs: number; readonly validatingMs: number } | undefined;
}

/** The filters that a request passes on its way to its handler. */
export type RequestFilter = "authentication" | "impersonation" | "priorityandfairness" | "authorization";

/** Counts of the watches of one kind. */
export interface WatchCounts {
  /** Events were written in one piece of `bytes` bytes. */
  sent(events: number, bytes: number): void;
  /** Objects were sent at the start of a watch. */
  initial(events: number): void;
  /** A watch was ended because its client was too slow. */
  terminated(): void;
}

/** How a list was read. */
export interface MeasuredList {
  /** The index that the cache used, "" for none; undefined if the list was read from the store. */
  readonly index: string | undefined;
  /** Objects that were examined. */
  readonly examined: number;
  readonly returned: number;
}

/** Called with the duration of a step of admission in seconds, and whether it denied the write. */
export type AdmissionObserver = (seconds: number, rejected: boolean) => void;

/** Metrics of the server. Implementations must be cheap: most methods are called for every request. */
export interface ApiMetrics {
  /** A request has ended. */
  observeRequest(request: MeasuredRequest, seconds: number): void;
  /** The server ended a request itself: it timed out, exceeded a limit, or failed for an unknown reason. */
  requestTerminated(request: MeasuredRequest, code: number): void;
  /** The client disconnected before the response was complete. */
  requestAborted(request: MeasuredRequest): void;
  /** The work on a request ended only after its timeout had been sent to the client. */
  endedAfterTimeout(outcome: "ok" | "error"): void;
  /** Time in a filter, in seconds. */
  observeFilter(filter: RequestFilter, seconds: number): void;
  /** An attempt to authenticate: `failure` without credentials, `error` with invalid ones or when they could not be checked. */
  observeAuthentication(result: "success" | "failure" | "error", seconds: number, user: UserInfo | undefined): void;
  /** Number of requests in flight, by kind. */
  setInflight(kind: "readOnly" | "mutating", count: number): void;
  /** A long-running request started (+1) or ended (-1). */
  addLongRunning(request: MeasuredRequest, delta: 1 | -1): void;
  /** Returns the counters of a kind; called once for each watch. */
  watches(definition: ResourceDefinition): WatchCounts;
  /** A list was read. @param prefix key prefix of the kind's objects, with a slash at the end */
  observeList(definition: ResourceDefinition, prefix: string, list: MeasuredList): void;
  /** Returns the observer of a phase of admission; called once, when the server is built. */
  admissionStep(type: "admit" | "validate", operation: AdmissionOperation): AdmissionObserver;
  /** Returns the observer of a plugin in a phase; called once, when the server is built. */
  admissionPlugin(name: string, type: "admit" | "validate", operation: AdmissionOperation): AdmissionObserver;
}
