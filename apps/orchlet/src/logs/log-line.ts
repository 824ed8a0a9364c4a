/** A line of a container's log file. */
export interface LogLine {
  /** As written: RFC 3339 with up to nine digits of a second's fraction; runtimes leave out zeros at its end. */
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

/** The time of an entry with nine digits of the second's fraction, so that times line up and compare as text. */
export function fixedTime(time: string): string {
  return time.replace(
    /(:\d\d)(?:\.(\d{0,9})\d*)?(Z|[+-]\d\d:\d\d)$/,
    (_, second: string, fraction = "", zone = "") => `${second}.${String(fraction).padEnd(9, "0")}${String(zone)}`,
  );
}
