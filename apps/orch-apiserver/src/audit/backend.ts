import type { AuditEvent } from "@orchernetes/apiserver";

/** Where events end up: a file, or a service. */
export interface AuditBackend {
  /** Label of metrics. */
  readonly name: "log" | "webhook";
  /** Resolves when all events are kept. Rejects if they are lost. */
  deliver(events: readonly AuditEvent[]): Promise<void>;
  /** Waits for what is under way. */
  close(): Promise<void>;
}

/** Reports events that were lost. */
export type ReportLost = (plugin: string, error: unknown, events: number) => void;
