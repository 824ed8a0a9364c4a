import { flagSection } from "@orchernetes/component";

const modes = ["batch", "blocking", "blocking-strict"];
const versions = ["audit.o8s.io/v1"];

const log = flagSection("Auditing", {
  "audit-log-path": {
    type: "string",
    default: "",
    effect: "none",
    help: "File that every request is recorded in; - means standard output.",
  },
  "audit-log-format": {
    type: "string",
    default: "json",
    oneOf: ["legacy", "json"],
    effect: "none",
    help: "Form of the records: one line of text, or JSON.",
  },
  "audit-log-compress": { type: "bool", default: false, effect: "none", help: "Compresses rotated files with gzip." },
  "audit-log-maxage": {
    type: "int",
    default: 0,
    min: 0,
    effect: "none",
    help: "Days that rotated files are kept, by the date in their name; 0 keeps them.",
  },
  "audit-log-maxbackup": {
    type: "int",
    default: 0,
    min: 0,
    effect: "none",
    help: "Number of rotated files that are kept; 0 keeps all.",
  },
  "audit-log-maxsize": {
    type: "int",
    default: 0,
    min: 0,
    effect: "none",
    help: "Megabytes at which the file is rotated.",
  },
  "audit-log-mode": {
    type: "string",
    default: "blocking",
    oneOf: modes,
    effect: "none",
    help: "How records are delivered: blocking delays each response until its record is written, batch collects and writes apart from requests, blocking-strict also fails requests whose first record cannot be written.",
  },
  "audit-log-batch-buffer-size": {
    type: "int",
    default: 10000,
    min: 0,
    effect: "none",
    help: "Records held before they are batched (mode batch).",
  },
  "audit-log-batch-max-size": {
    type: "int",
    default: 1,
    min: 0,
    effect: "none",
    help: "Most records in a batch (mode batch).",
  },
  "audit-log-batch-max-wait": {
    type: "duration",
    default: "0s",
    min: 0,
    effect: "none",
    help: "How long an incomplete batch waits (mode batch).",
  },
  "audit-log-batch-throttle-enable": {
    type: "bool",
    default: false,
    effect: "none",
    help: "Limits the number of batches a second (mode batch).",
  },
  "audit-log-batch-throttle-qps": {
    type: "float",
    default: 0,
    min: 0,
    effect: "none",
    help: "Batches a second on average (mode batch).",
  },
  "audit-log-batch-throttle-burst": {
    type: "int",
    default: 0,
    min: 0,
    effect: "none",
    help: "Batches allowed at once after a quiet time (mode batch).",
  },
  "audit-log-truncate-enabled": {
    type: "bool",
    default: false,
    effect: "none",
    help: "Shortens records and splits batches that are too large.",
  },
  "audit-log-truncate-max-batch-size": {
    type: "int",
    default: 10485760,
    min: 1,
    effect: "none",
    help: "Bytes above which a batch is split into several.",
  },
  "audit-log-truncate-max-event-size": {
    type: "int",
    default: 102400,
    min: 1,
    effect: "none",
    help: "Bytes above which a record loses request and response, and is dropped if that is not enough.",
  },
  "audit-log-version": {
    type: "string",
    default: "audit.o8s.io/v1",
    oneOf: versions,
    effect: "none",
    help: "Group and version in which records are written.",
  },
});

const webhook = flagSection("Auditing", {
  "audit-webhook-config-file": {
    type: "string",
    default: "",
    effect: "none",
    help: "Client configuration of the service that records are sent to.",
  },
  "audit-webhook-initial-backoff": {
    type: "duration",
    default: "10s",
    min: 1,
    effect: "none",
    help: "Time before the first repetition of a failed delivery.",
  },
  "audit-webhook-batch-initial-backoff": {
    type: "duration",
    default: "10s",
    min: 1,
    effect: "none",
    hidden: true,
    deprecated: "use --audit-webhook-initial-backoff instead",
    help: "Time before the first repetition of a failed delivery.",
  },
  "audit-webhook-mode": {
    type: "string",
    default: "batch",
    oneOf: modes,
    effect: "none",
    help: "How records are delivered; see --audit-log-mode.",
  },
  "audit-webhook-batch-buffer-size": {
    type: "int",
    default: 10000,
    min: 0,
    effect: "none",
    help: "Records held before they are batched (mode batch).",
  },
  "audit-webhook-batch-max-size": {
    type: "int",
    default: 400,
    min: 0,
    effect: "none",
    help: "Most records in a batch (mode batch).",
  },
  "audit-webhook-batch-max-wait": {
    type: "duration",
    default: "30s",
    min: 0,
    effect: "none",
    help: "How long an incomplete batch waits (mode batch).",
  },
  "audit-webhook-batch-throttle-enable": {
    type: "bool",
    default: true,
    effect: "none",
    help: "Limits the number of batches a second (mode batch).",
  },
  "audit-webhook-batch-throttle-qps": {
    type: "float",
    default: 10,
    min: 0,
    effect: "none",
    help: "Batches a second on average (mode batch).",
  },
  "audit-webhook-batch-throttle-burst": {
    type: "int",
    default: 15,
    min: 0,
    effect: "none",
    help: "Batches allowed at once after a quiet time (mode batch).",
  },
  "audit-webhook-truncate-enabled": {
    type: "bool",
    default: false,
    effect: "none",
    help: "Shortens records and splits batches that are too large.",
  },
  "audit-webhook-truncate-max-batch-size": {
    type: "int",
    default: 10485760,
    min: 1,
    effect: "none",
    help: "Bytes above which a batch is split into several.",
  },
  "audit-webhook-truncate-max-event-size": {
    type: "int",
    default: 102400,
    min: 1,
    effect: "none",
    help: "Bytes above which a record loses request and response, and is dropped if that is not enough.",
  },
  "audit-webhook-version": {
    type: "string",
    default: "audit.o8s.io/v1",
    oneOf: versions,
    effect: "none",
    help: "Group and version in which records are sent.",
  },
});

const policy = flagSection("Auditing", {
  "audit-policy-file": {
    type: "string",
    default: "",
    effect: "none",
    help: "File with the audit policy: which requests are recorded, and how much of them.",
  },
});

/** What is recorded about requests, and where. */
export const auditSection = { ...policy, ...log, ...webhook };
