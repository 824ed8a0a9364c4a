import type { Evidence } from "./evidence/evidence.ts";

/** What a control finds in the evidence. `source` says where it was seen, such as `command line of process 12`. */
export type Finding =
  | { readonly verdict: "met"; readonly found: string; readonly source: string }
  | { readonly verdict: "violated"; readonly found: string; readonly source: string }
  | { readonly verdict: "notApplicable"; readonly reason: string }
  /** The evidence that the control needs could not be had. */
  | { readonly verdict: "unknown"; readonly reason: string };

/** A control of the benchmark. Titles are this project's words; the numbers are the benchmark's. */
export interface Control {
  /** Number in version 1.8 of the benchmark, which is for 1.26 and 1.27; `1.24/...` for a control that it has dropped. */
  readonly number: string;
  /** Number in the versions for 1.23 and 1.24, if it is another one. */
  readonly formerNumber?: string;
  readonly title: string;
  /** How to meet it. */
  readonly remedy: string;
  /** What a violation counts as: `warn` where an administrator may have good reasons. @default "fail" */
  readonly severity?: "fail" | "warn";
  judge(evidence: Evidence): Finding;
}

export const met = (found: string, source: string): Finding => ({ verdict: "met", found, source });
export const violated = (found: string, source: string): Finding => ({ verdict: "violated", found, source });
export const notApplicable = (reason: string): Finding => ({ verdict: "notApplicable", reason });
export const unknown = (reason: string): Finding => ({ verdict: "unknown", reason });

/** A finding that depends on a condition. */
export const judged = (isMet: boolean, found: string, source: string): Finding =>
  isMet ? met(found, source) : violated(found, source);
