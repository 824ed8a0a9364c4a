import type { Clock } from "@orchernetes/kernel";
import type { AuditLevel } from "../interfaces/index.ts";
import type { AuditEvent } from "./event.ts";
import type { AuditPolicyEvaluator } from "./policy.ts";

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

/** Parts of a recorder by a policy. */
export interface PolicyRecorderOptions {
  readonly policy: AuditPolicyEvaluator;
  readonly sink: AuditSink;
  /** Whether answers wait for their records. */
  readonly holdsAnswers: boolean;
  readonly counts: AuditCounts;
  readonly clock: Pick<Clock, "nowMs">;
}
