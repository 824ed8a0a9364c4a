import type { LogValues } from "@orchernetes/kernel";
import { errorText, isSecretName } from "./format.ts";

/** Keys of the format itself; a value with one of these names gets an underscore after it. */
const OWN_KEYS: ReadonlySet<string> = new Set(["ts", "caller", "msg", "v"]);

/** One line of the log. */
export interface JsonEntry {
  /** Milliseconds since the epoch; the fraction holds microseconds. */
  readonly timeMs: number;
  /** `file.ts:12` */
  readonly caller: string;
  readonly message: string;
  /** Verbosity of the line; undefined for errors, which have none. */
  readonly verbosity: number | undefined;
  readonly values: LogValues;
}

/**
 * A log line as upstream's components write it with `--logging-format=json`: `ts` in milliseconds, `caller`, `msg`,
 * `v`, and the values under their own names. Values with secret names are never written, at any depth.
 */
export function jsonLine({ timeMs, caller, message, verbosity, values }: JsonEntry): string {
  const head = {
    ts: Math.round(timeMs * 1000) / 1000,
    caller,
    msg: message,
    ...(verbosity === undefined ? {} : { v: verbosity }),
  };
  const named = Object.entries(values).map(([name, value]) => [
    OWN_KEYS.has(name) ? `${name}_` : name,
    printable(name, value),
  ]);
  return `${JSON.stringify({ ...head, ...Object.fromEntries(named) })}\n`;
}

/** The value in a form that JSON can represent. */
function printable(name: string, value: unknown): unknown {
  if (isSecretName(name)) return "<redacted>";
  try {
    const text = JSON.stringify(value, (inner, member: unknown) => {
      if (inner !== "" && isSecretName(inner)) return "<redacted>";
      if (typeof member === "bigint") return String(member);
      return member instanceof Error ? errorText(member) : member;
    });
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    // A cycle, or a toJSON that throws: logging must not fail.
    return "<unprintable>";
  }
}
