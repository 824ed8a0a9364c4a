import type { AuditEvent } from "@orchernetes/apiserver";
import type { AuditBackend } from "./backend.ts";
import { legacyLine } from "./legacy-line.ts";

/** Takes text; what is appended later comes after it. */
export interface LineWriter {
  /** Resolves when the text is written. Rejects if none of it is. */
  append(text: string): Promise<void>;
  close(): Promise<void>;
}

/** Writes events as lines of JSON or text. */
export function createLogBackend(writer: LineWriter, format: "json" | "legacy"): AuditBackend {
  const line =
    format === "json" ? ({ json }: AuditEvent) => `${json}\n` : (event: AuditEvent) => `${legacyLine(event)}\n`;
  return {
    name: "log",
    deliver: (events) => writer.append(events.length === 1 && events[0] ? line(events[0]) : events.map(line).join("")),
    close: () => writer.close(),
  };
}
