import type { AuditEvent } from "@orchernetes/apiserver";

/** The destination of events: a log file or a webhook. */
export interface AuditBackend {
  /** Label `plugin` of the metrics. */
  readonly name: "log" | "webhook";
  /** Resolves when all events are stored. Rejects if they are lost; it does not retry what it has given up. */
  deliver(events: readonly AuditEvent[]): Promise<void>;
  /** Waits for deliveries in flight, then releases files and connections. */
  close(): Promise<void>;
}

/**
 * Reports lost events.
 *
 * @param plugin the part that lost them, as upstream names it: `buffered`, `truncate`, `log` or `webhook`
 */
export type ReportLost = (plugin: string, error: unknown, events: number) => void;
