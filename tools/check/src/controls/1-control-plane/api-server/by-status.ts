import { judged } from "../../../control.ts";
import type { Evidence } from "../../../evidence/evidence.ts";
import { flagsUnseen } from "../../shared/flag-control.ts";

/** Judges by the status of a response, if the command line cannot be seen. */
export const byStatus =
  (status: (evidence: Evidence) => number | undefined, request: string, isGood: (status: number) => boolean) =>
  (evidence: Evidence) => {
    const answer = status(evidence);
    if (answer === undefined) return flagsUnseen("orch-apiserver");
    return judged(isGood(answer), `${request} is answered with ${answer}`, "a response of the API server");
  };
