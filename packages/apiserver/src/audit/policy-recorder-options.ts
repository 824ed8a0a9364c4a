import type { Clock } from "@orchernetes/kernel";
import type { AuditLevel } from "../interfaces/index.ts";
import type { AuditEvent } from "./event.ts";
import type { AuditPolicyEvaluator } from "./policy.ts";

/** The destination of events. */
export interface AuditSink {
  /**
   * Processes an event. If it returns a promise, the request waits for it; the promise never rejects.
   *
   * @returns false if the request must be rejected because its event could not be recorded (mode `blocking-strict`)
   */
  process(event: AuditEvent): boolean | Promise<boolean>;
}

/** Metrics of audit. */
export interface AuditCounts {
  event(): void;
  /** The level that the policy has for a request. */
  level(level: AuditLevel): void;
  /** A request was rejected because it could not be recorded. */
  rejected(): void;
}

/** The options of a recorder with a policy. */
export interface PolicyRecorderOptions {
  readonly policy: AuditPolicyEvaluator;
  readonly sink: AuditSink;
  /** Whether responses wait for their records. */
  readonly holdsAnswers: boolean;
  readonly counts: AuditCounts;
  readonly clock: Pick<Clock, "nowMs">;
}
