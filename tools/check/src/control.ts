import type { Evidence } from "./evidence/evidence.ts";

/** The result of a control for the evidence. `source` says where it was seen, such as `command line of process 12`. */
export type Finding =
  | { readonly verdict: "met"; readonly found: string; readonly source: string }
  | { readonly verdict: "violated"; readonly found: string; readonly source: string }
  | { readonly verdict: "notApplicable"; readonly reason: string }
  /** The evidence that the control needs could not be collected. */
  | { readonly verdict: "unknown"; readonly reason: string };

/**
 * A control of the CIS Kubernetes Benchmark. The numbers are those of the benchmark; the titles are this project's own words. A control only
 * judges: all evidence is collected before, so that all judgements of a report are about the same evidence.
 */
export interface Control {
  /** Number in version 1.8 of the benchmark, which is for 1.26 and 1.27. `1.24/...` is a control that this version has dropped. */
  readonly number: string;
  /** Number in the versions for 1.23 and 1.24, if it is another one. */
  readonly formerNumber?: string;
  readonly title: string;
  /** What to do to meet the control. */
  readonly remedy: string;
  /** What a violation counts as: `warn` where an administrator may have good reasons. @default "fail" */
  readonly severity?: "fail" | "warn";
  judge(evidence: Evidence): Finding;
}

/** The control is met. */
export const met = (found: string, source: string): Finding => ({ verdict: "met", found, source });
/** The control is violated. */
export const violated = (found: string, source: string): Finding => ({ verdict: "violated", found, source });
/** The control is about something that the cluster does not have. */
export const notApplicable = (reason: string): Finding => ({ verdict: "notApplicable", reason });
/** The evidence does not suffice to judge the control. */
export const unknown = (reason: string): Finding => ({ verdict: "unknown", reason });

/** A finding that depends on a condition. */
export const judged = (isMet: boolean, found: string, source: string): Finding =>
  isMet ? met(found, source) : violated(found, source);
