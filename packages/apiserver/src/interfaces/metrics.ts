import type { ResourceDefinition } from "@orchernetes/apimachinery";
import type { UserInfo } from "@orchernetes/auth";
import type { HttpRequest } from "@orchernetes/kernel";
import type { AdmissionOperation } from "./admission.ts";
import type { RequestInfo } from "./request-info.ts";

/** A request as far as it is measured; its fields have what is known at the time of the call. */
export interface MeasuredRequest {
  readonly info: RequestInfo;
  readonly req: HttpRequest;
  readonly user: UserInfo;
  /** 0 until the answer is decided. */
  readonly code: number;
  /** Bytes of the body that was read. */
  readonly requestBytes: number;
  /** Bytes of the answer's body, before compression. */
  readonly responseBytes: number;
}

/** What a request passes on its way to its handler. */
export type RequestFilter = "authentication" | "impersonation" | "priorityandfairness" | "authorization";

/** Counts of the watches of one kind. */
export interface WatchCounts {
  /** Events were written together, as so many bytes. */
  sent(events: number, bytes: number): void;
  /** Objects were sent at the start of a watch. */
  initial(events: number): void;
  /** A watch was ended because its client was too slow. */
  terminated(): void;
}

/** How a list was read. */
export interface MeasuredList {
  /** Present where the cache gave it: the index that it was looked up in, or "". */
  readonly index: string | undefined;
  /** Objects that were looked at. */
  readonly examined: number;
  readonly returned: number;
}

/** Takes the time that a step of admission took, and whether it refused. */
export type AdmissionObserver = (seconds: number, rejected: boolean) => void;

/** Where the server counts. Implementations must be cheap: most methods are called on every request. */
export interface ApiMetrics {
  /** A request has been answered. */
  observeRequest(request: MeasuredRequest, seconds: number): void;
  /** The server gave up on a request, or did not take it: it timed out, was one too many, or failed for no known reason. */
  requestTerminated(request: MeasuredRequest, code: number): void;
  /** The client left before its answer was complete. */
  requestAborted(request: MeasuredRequest): void;
  /** The work on a request ended only after it had timed out. */
  endedAfterTimeout(outcome: "ok" | "error"): void;
  /** Time in a filter. */
  observeFilter(filter: RequestFilter, seconds: number): void;
  /** An attempt to authenticate: `failure` without or with invalid credentials, `error` when authentication was not possible. */
  observeAuthentication(result: "success" | "failure" | "error", seconds: number, user: UserInfo | undefined): void;
  /** Requests being worked on, by kind (`readOnly`, `mutating`). */
  setInflight(kind: "readOnly" | "mutating", count: number): void;
  /** A long-running request started (+1) or ended (-1). */
  addLongRunning(request: MeasuredRequest, delta: 1 | -1): void;
  /** The counts of a kind's watches; called once for each watch. */
  watches(definition: ResourceDefinition): WatchCounts;
  /** @param prefix key prefix of the kind's objects, with trailing slash */
  observeList(definition: ResourceDefinition, prefix: string, list: MeasuredList): void;
  /** Where a phase of admission is measured; called once. */
  admissionStep(type: "admit" | "validate", operation: AdmissionOperation): AdmissionObserver;
  /** Where a plugin is measured; called once. */
  admissionPlugin(name: string, type: "admit" | "validate", operation: AdmissionOperation): AdmissionObserver;
}
