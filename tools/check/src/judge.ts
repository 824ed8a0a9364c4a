import { assertNever } from "@orchernetes/kernel";
import type { Control, Finding } from "./control.ts";
import { sections } from "./controls/index.ts";
import type { Evidence } from "./evidence/evidence.ts";

/** Outcome of a control. */
export type Status = "pass" | "fail" | "warn" | "not applicable";

/** A control as it was judged. */
export interface Judgement {
  readonly section: string;
  readonly number: string;
  /** Number in the benchmark's versions for 1.23 and 1.24, if it is another one. */
  readonly formerNumber?: string;
  readonly title: string;
  readonly status: Status;
  /** What was found, and where; absent if there was nothing to find. */
  readonly found?: string;
  readonly source?: string;
  /** Why the control is not applicable, or could not be judged. */
  readonly reason?: string;
  /** What to do about it; absent if it passes or is not applicable. */
  readonly remedy?: string;
}

type Outcome = Pick<Judgement, "status" | "found" | "source" | "reason" | "remedy">;

/** The status of a finding. What is unknown is a warning: it must not look like a control that is met. */
function outcomeOf({ severity = "fail", remedy }: Control, finding: Finding): Outcome {
  switch (finding.verdict) {
    case "met":
      return { status: "pass", found: finding.found, source: finding.source };
    case "violated":
      return { status: severity, found: finding.found, source: finding.source, remedy };
    case "notApplicable":
      return { status: "not applicable", reason: finding.reason };
    case "unknown":
      return { status: "warn", reason: finding.reason, remedy };
    default:
      return assertNever(finding);
  }
}

/** Judges every control, in the order of the benchmark. Pure. */
export function judgeAll(evidence: Evidence): readonly Judgement[] {
  return sections.flatMap(({ title: section, controls }) =>
    controls.map((control) => {
      const { number, formerNumber, title } = control;
      const base = { section, number, ...(formerNumber !== undefined && { formerNumber }), title };
      return { ...base, ...outcomeOf(control, control.judge(evidence)) };
    }),
  );
}

/** How many controls have each status. */
export function countStatuses(judgements: readonly Judgement[]): Readonly<Record<Status, number>> {
  const counts = { pass: 0, fail: 0, warn: 0, "not applicable": 0 };
  for (const { status } of judgements) counts[status]++;
  return counts;
}
