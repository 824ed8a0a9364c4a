/** A line of a container's log file. */
export interface LogLine {
  /** As written: RFC 3339 with nanoseconds. */
  readonly time: string;
  readonly stream: "stdout" | "stderr";
  /** Whether the container's own line goes on in the next entry. */
  readonly partial: boolean;
  /** Without the line feed that ends the entry. */
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
