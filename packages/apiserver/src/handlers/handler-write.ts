import type { UserInfo } from "@orchernetes/auth";
import type { RequestState } from "../http/request-state.ts";
import type { AdmissionContext, GroupVersionKind } from "../interfaces/index.ts";
import type { WriteRequest } from "../registry/served-version.ts";
import type { WriteGuard } from "../registry/write-guard.ts";
import { writeDeadlineMs } from "./write-deadline.ts";

/** The parts of a write that its query and user agent determine. */
export interface AskedWrite {
  readonly dryRun: boolean;
  readonly options: Readonly<Record<string, unknown>>;
  readonly manager: string;
  readonly ownership?: WriteRequest["ownership"];
  readonly kind?: GroupVersionKind;
  /** It is one of a collection: all of them together have the time of the request. @default false */
  readonly ofCollection?: boolean;
  /** @default the write depends on no other object */
  readonly guard?: WriteGuard | undefined;
}

/**
 * The write that an HTTP request describes. A class with getters, because `signal` creates an AbortController on first
 * use, and most writes never need one.
 */
export class HandlerWrite implements WriteRequest {
  readonly user: UserInfo;
  readonly admission = true;
  readonly dryRun: boolean;
  readonly options: Readonly<Record<string, unknown>>;
  readonly now: Date;
  readonly warn: (message: string) => void;
  readonly annotate: AdmissionContext["annotate"];
  readonly subresource: string;
  readonly manager: string;
  readonly ownership?: "recorded";
  readonly kind?: GroupVersionKind;
  readonly guard?: WriteGuard;
  readonly #state: RequestState;
  readonly ofCollection: boolean;

  constructor(state: RequestState, now: Date, asked: AskedWrite) {
    const { dryRun, options, manager, ownership, kind, ofCollection = false, guard } = asked;
    this.#state = state;
    this.ofCollection = ofCollection;
    this.user = state.user;
    this.dryRun = dryRun;
    this.options = options;
    this.now = now;
    this.warn = state.warn;
    this.annotate = state.annotate;
    this.subresource = state.info.subresource;
    this.manager = manager;
    if (ownership !== undefined) this.ownership = ownership;
    if (kind !== undefined) this.kind = kind;
    if (guard !== undefined) this.guard = guard;
  }

  get bytes(): number {
    return this.#state.requestBytes;
  }

  get deadlineMs(): number | undefined {
    const { deadlineMs } = this.#state;
    return this.ofCollection ? deadlineMs : writeDeadlineMs(deadlineMs, this.now);
  }

  get addWebhookTime(): AdmissionContext["addWebhookTime"] {
    return (phase, elapsedMs) => this.#state.addWebhookTime(phase, elapsedMs);
  }

  get signal(): AbortSignal {
    return this.#state.signal;
  }
}
