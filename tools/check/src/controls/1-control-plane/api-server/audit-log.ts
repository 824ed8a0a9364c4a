import type { Control } from "../../../control.ts";
import { atLeast, flagControl, isSet } from "../../shared/flag-control.ts";

const daemon = "orch-apiserver";

/** Controls of section 1.2 about the audit log and the time limit of requests. */
export const auditLog: readonly Control[] = [
  flagControl({
    number: "1.2.17",
    formerNumber: "1.2.18",
    title: "Requests are recorded",
    daemon,
    flag: "audit-log-path",
    accept: isSet,
    remedy: "orch-apiserver --audit-policy-file=FILE --audit-log-path=FILE",
  }),
  flagControl({
    number: "1.2.18",
    formerNumber: "1.2.19",
    title: "Records are kept for 30 days",
    daemon,
    flag: "audit-log-maxage",
    absent: "0",
    accept: atLeast(30),
    remedy: "orch-apiserver --audit-log-maxage=30",
  }),
  flagControl({
    number: "1.2.19",
    formerNumber: "1.2.20",
    title: "Ten former files of records are kept",
    daemon,
    flag: "audit-log-maxbackup",
    absent: "0",
    accept: atLeast(10),
    remedy: "orch-apiserver --audit-log-maxbackup=10",
  }),
  flagControl({
    number: "1.2.20",
    formerNumber: "1.2.21",
    title: "Files of records have 100 megabytes",
    daemon,
    flag: "audit-log-maxsize",
    absent: "0",
    accept: atLeast(100),
    remedy: "orch-apiserver --audit-log-maxsize=100",
  }),
  flagControl({
    number: "1.2.21",
    formerNumber: "1.2.22",
    title: "Requests end after a limited time",
    daemon,
    flag: "request-timeout",
    absent: "1m0s",
    // Longer limits let few clients hold many requests.
    accept: (text) => /^(?:[1-5]m0?s?|[1-9]\d?s|[12]\d\ds|300s|[1-5]m\d?\ds)$/.test(text),
    severity: "warn",
    remedy: "orch-apiserver --request-timeout=1m0s, at most five minutes",
  }),
];
