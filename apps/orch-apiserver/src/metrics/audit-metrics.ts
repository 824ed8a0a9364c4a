import type { AuditCounts } from "@orchernetes/apiserver";
import type { Metrics } from "@orchernetes/component";

/** What is counted about auditing. */
export interface AuditMetrics extends AuditCounts {
  /** Events that were lost. */
  lost(plugin: string, events: number): void;
}

/** Audit counts as metrics. */
export function auditMetrics(metrics: Metrics): AuditMetrics {
  const events = metrics.counter({
    name: "apiserver_audit_event_total",
    help: "Number of audit events generated and sent to the audit backend.",
  });
  const levels = metrics.counter({
    name: "apiserver_audit_level_total",
    help: "Number of requests by audit policy level.",
    labelNames: ["level"],
  });
  const rejected = metrics.counter({
    name: "apiserver_audit_requests_rejected_total",
    help: "Number of requests rejected because their audit event could not be written.",
  });
  const errors = metrics.counter({
    name: "apiserver_audit_error_total",
    help: "Number of audit events lost, by the plugin that lost them.",
    labelNames: ["plugin"],
  });
  const generated = events.with();
  const byLevel = {
    None: levels.with("None"),
    Metadata: levels.with("Metadata"),
    Request: levels.with("Request"),
    RequestResponse: levels.with("RequestResponse"),
  };
  return {
    event: () => generated.inc(),
    level: (level) => byLevel[level].inc(),
    rejected: () => rejected.inc(),
    lost: (plugin, count) => errors.inc([plugin], count),
  };
}
