import type { AuditEvent } from "@orchernetes/apiserver";
import type { AuditBackend } from "./backend.ts";
import { legacyLine } from "./legacy-line.ts";

/** Writes whole lines in the order in which they are appended. */
export interface LineWriter {
  /** Resolves when all lines are written, rejects if none of them is. The caller must not change the buffer before that. */
  append(lines: string | Buffer): Promise<void>;
  close(): Promise<void>;
}

/** `--audit-log-format`. */
export type LogFormat = "json" | "legacy";

/** Returns the function that formats an event as a line, with its line feed. */
export function lineOf(format: LogFormat): (event: AuditEvent) => string {
  return format === "legacy" ? (event) => `${legacyLine(event)}\n` : ({ line }) => line;
}

/** The backend that writes events as lines. */
export function createLogBackend(writer: LineWriter, format: LogFormat): AuditBackend {
  const line = lineOf(format);
  return {
    name: "log",
    deliver: (events) => writer.append(events.length === 1 && events[0] ? line(events[0]) : events.map(line).join("")),
    close: () => writer.close(),
  };
}
