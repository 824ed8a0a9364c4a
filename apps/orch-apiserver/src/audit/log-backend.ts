import type { AuditEvent } from "@orchernetes/apiserver";
import type { AuditBackend } from "./backend.ts";
import { legacyLine } from "./legacy-line.ts";

/** Takes whole lines; what is appended later comes after them. */
export interface LineWriter {
  /** Resolves when the lines are written. Rejects if none of them is. Bytes must stay as they are until then. */
  append(lines: string | Buffer): Promise<void>;
  close(): Promise<void>;
}

/** How an event is written. */
export type LogFormat = "json" | "legacy";

/** An event as a line of JSON or text. */
export function lineOf(format: LogFormat): (event: AuditEvent) => string {
  return format === "json" ? ({ json }) => `${json}\n` : (event) => `${legacyLine(event)}\n`;
}

/** Writes events as lines of JSON or text. */
export function createLogBackend(writer: LineWriter, format: LogFormat): AuditBackend {
  const line = lineOf(format);
  return {
    name: "log",
    deliver: (events) => writer.append(events.length === 1 && events[0] ? line(events[0]) : events.map(line).join("")),
    close: () => writer.close(),
  };
}
