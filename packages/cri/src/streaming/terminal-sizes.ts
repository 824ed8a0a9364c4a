import type { Readable } from "node:stream";
import type { TerminalSize } from "./streaming-backend.ts";

const maxLineBytes = 4096;

/**
 * Terminal sizes from a resize channel: JSON objects `{"Width": 80, "Height": 24}`, one per line. Invalid lines are
 * skipped. Ends when the channel ends, also with an error.
 */
export async function* terminalSizes(channel: Readable | undefined): AsyncIterable<TerminalSize> {
  if (channel === undefined) return;
  let pending = "";
  try {
    for await (const chunk of channel) {
      const lines = (pending + String(chunk)).split("\n");
      pending = (lines.pop() ?? "").slice(-maxLineBytes);
      for (const line of lines) {
        const size = parseSize(line);
        if (size !== undefined) yield size;
      }
    }
  } catch {
    // The connection was closed, so the size no longer matters.
  }
}

function parseSize(line: string): TerminalSize | undefined {
  try {
    const { Width: width, Height: height } = JSON.parse(line) ?? {};
    return isDimension(width) && isDimension(height) ? { width, height } : undefined;
  } catch {
    return undefined;
  }
}

function isDimension(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) < 65536;
}
