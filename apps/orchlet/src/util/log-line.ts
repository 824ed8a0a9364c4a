/** An entry of a container's log file, in the format of the CRI. */
export interface LogLine {
  /** As written: RFC 3339 with up to nine fractional digits; runtimes omit trailing zeros. */
  readonly time: string;
  readonly stream: "stdout" | "stderr";
  /** Whether the container's line continues in the next entry: runtimes split long lines. */
  readonly partial: boolean;
  /** Without the newline at the end of the entry. */
  readonly text: string;
}

/** Parses `TIME stdout|stderr P|F[:…] TEXT`; undefined for anything else. */
export function parseLogLine(line: string): LogLine | undefined {
  const match = /^(\S+) (stdout|stderr) ([PF])(?::\S*)?(?: |$)/.exec(line);
  if (match === null) return undefined;
  const [head, time = "", stream, tag] = match;
  return {
    time,
    stream: stream === "stderr" ? "stderr" : "stdout",
    partial: tag === "P",
    text: line.slice(head.length),
  };
}

/** Pads the time of an entry to nine fractional digits, so that times are aligned and can be compared as text. */
export function fixedTime(time: string): string {
  return time.replace(
    /(:\d\d)(?:\.(\d{0,9})\d*)?(Z|[+-]\d\d:\d\d)$/,
    (_, second: string, fraction = "", zone = "") => `${second}.${String(fraction).padEnd(9, "0")}${String(zone)}`,
  );
}
