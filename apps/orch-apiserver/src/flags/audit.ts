import { flagSection } from "@orchernetes/component";

const modes = ["batch", "blocking", "blocking-strict"];
const versions = ["audit.o8s.io/v1"];

const log = flagSection("Auditing", {
  "audit-log-path": {
    type: "string",
    default: "",
    help: "File to which all requests are logged; - means standard output.",
  },
  "audit-log-format": {
    type: "string",
    default: "json",
    oneOf: ["legacy", "json"],
    help: "Format of audit events: one line of text (legacy), or JSON.",
  },
  "audit-log-compress": { type: "bool", default: false, help: "Compresses rotated files with gzip." },
  "audit-log-maxage": {
    type: "int",
    default: 0,
    min: 0,
    help: "Maximum number of days to keep rotated files, by the date in their name; 0 means no limit.",
  },
  "audit-log-maxbackup": {
    type: "int",
    default: 0,
    min: 0,
    help: "Maximum number of rotated files to keep; 0 means no limit.",
  },
  "audit-log-maxsize": {
    type: "int",
    default: 0,
    min: 0,
    help: "Maximum size of the file in megabytes before it is rotated.",
  },
  "audit-log-mode": {
    type: "string",
    default: "blocking",
    oneOf: modes,
    help: "How audit events are sent: batch buffers events and writes them asynchronously; blocking delays each response until its event is written; blocking-strict, in addition, rejects requests whose RequestReceived event cannot be written.",
  },
  "audit-log-batch-buffer-size": {
    type: "int",
    default: 10000,
    min: 0,
    help: "Number of audit events to buffer before they are batched and written (mode batch).",
  },
  "audit-log-batch-max-size": {
    type: "int",
    default: 1,
    min: 0,
    help: "Maximum number of audit events in a batch (mode batch).",
  },
  "audit-log-batch-max-wait": {
    type: "duration",
    default: "0s",
    min: 0,
    help: "How long an incomplete batch waits (mode batch).",
  },
  "audit-log-batch-throttle-enable": {
    type: "bool",
    default: false,
    help: "Limits the number of batches per second (mode batch).",
  },
  "audit-log-batch-throttle-qps": {
    type: "float",
    default: 0,
    min: 0,
    help: "Average number of batches per second (mode batch).",
  },
  "audit-log-batch-throttle-burst": {
    type: "int",
    default: 0,
    min: 0,
    help: "Maximum burst of batches after an idle time (mode batch).",
  },
  "audit-log-truncate-enabled": {
    type: "bool",
    default: false,
    help: "Truncates audit events and splits batches that are too large.",
  },
  "audit-log-truncate-max-batch-size": {
    type: "int",
    default: 10485760,
    min: 1,
    help: "Maximum size of a batch in bytes; larger ones are split.",
  },
  "audit-log-truncate-max-event-size": {
    type: "int",
    default: 102400,
    min: 1,
    help: "Size in bytes above which the request and response objects are removed from an audit event. If that is not enough, the event is discarded.",
  },
  "audit-log-version": {
    type: "string",
    default: "audit.o8s.io/v1",
    oneOf: versions,
    help: "API group and version of the audit events that are written.",
  },
});

const webhook = flagSection("Auditing", {
  "audit-webhook-config-file": {
    type: "string",
    default: "",
    help: "Client configuration of the webhook to which audit events are sent.",
  },
  "audit-webhook-initial-backoff": {
    type: "duration",
    default: "10s",
    min: 1,
    help: "Time before the first retry of a failed delivery.",
  },
  "audit-webhook-batch-initial-backoff": {
    type: "duration",
    default: "10s",
    min: 1,
    hidden: true,
    deprecated: "use --audit-webhook-initial-backoff instead",
    help: "Time before the first retry of a failed delivery.",
  },
  "audit-webhook-mode": {
    type: "string",
    default: "batch",
    oneOf: modes,
    help: "How audit events are sent; see --audit-log-mode.",
  },
  "audit-webhook-batch-buffer-size": {
    type: "int",
    default: 10000,
    min: 0,
    help: "Number of audit events to buffer before they are batched and written (mode batch).",
  },
  "audit-webhook-batch-max-size": {
    type: "int",
    default: 400,
    min: 0,
    help: "Maximum number of audit events in a batch (mode batch).",
  },
  "audit-webhook-batch-max-wait": {
    type: "duration",
    default: "30s",
    min: 0,
    help: "How long an incomplete batch waits (mode batch).",
  },
  "audit-webhook-batch-throttle-enable": {
    type: "bool",
    default: true,
    help: "Limits the number of batches per second (mode batch).",
  },
  "audit-webhook-batch-throttle-qps": {
    type: "float",
    default: 10,
    min: 0,
    help: "Average number of batches per second (mode batch).",
  },
  "audit-webhook-batch-throttle-burst": {
    type: "int",
    default: 15,
    min: 0,
    help: "Maximum burst of batches after an idle time (mode batch).",
  },
  "audit-webhook-truncate-enabled": {
    type: "bool",
    default: false,
    help: "Truncates audit events and splits batches that are too large.",
  },
  "audit-webhook-truncate-max-batch-size": {
    type: "int",
    default: 10485760,
    min: 1,
    help: "Maximum size of a batch in bytes; larger ones are split.",
  },
  "audit-webhook-truncate-max-event-size": {
    type: "int",
    default: 102400,
    min: 1,
    help: "Size in bytes above which the request and response objects are removed from an audit event. If that is not enough, the event is discarded.",
  },
  "audit-webhook-version": {
    type: "string",
    default: "audit.o8s.io/v1",
    oneOf: versions,
    help: "API group and version of the audit events that are sent.",
  },
});

const policy = flagSection("Auditing", {
  "audit-policy-file": {
    type: "string",
    default: "",
    help: "File with the audit policy: which requests are recorded, and at which level.",
  },
});

/** What is recorded about requests, and where. */
export const auditSection = { ...policy, ...log, ...webhook };
