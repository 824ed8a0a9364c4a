import type { LogValues } from "@orchernetes/kernel";

/** A value that is never written to a log, whatever its name. */
export class Redacted<T> {
  readonly #value: T;
  constructor(value: T) {
    this.#value = value;
  }
  /** The value itself, for use. */
  reveal(): T {
    return this.#value;
  }
  toString(): string {
    return "<redacted>";
  }
  toJSON(): string {
    return "<redacted>";
  }
}

const secretName =
  /^(.*[._-])?(password|passwd|bearer|(\w*)token|authorization|credentials?|private_?key|client_?secret|cookie)$/i;

/** Whether values with this name are never written to logs. */
export const isSecretName = (name: string): boolean => secretName.test(name);

const pad = (value: number, digits: number) => String(value).padStart(digits, "0");

/**
 * The head of a log line: `I0102 15:04:05.000000    1234 file.ts:12] `. Local time, microseconds, process id right-aligned
 * to seven columns.
 * @param timeMs milliseconds since the epoch, fractions being microseconds
 */
export function logHeader(severity: "I" | "W" | "E" | "F", timeMs: number, pid: number, caller: string): string {
  const date = new Date(timeMs);
  const micros = Math.floor((timeMs - Math.floor(timeMs)) * 1000 + 1e-6);
  const day = `${pad(date.getMonth() + 1, 2)}${pad(date.getDate(), 2)}`;
  const time = `${pad(date.getHours(), 2)}:${pad(date.getMinutes(), 2)}:${pad(date.getSeconds(), 2)}`;
  const fraction = `${pad(date.getMilliseconds(), 3)}${pad(micros, 3)}`;
  return `${severity}${day} ${time}.${fraction} ${String(pid).padStart(7)} ${caller}] `;
}

/** ` key="value"` for every value, in order. */
export function formatValues(values: LogValues): string {
  let text = "";
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    text += ` ${name}=${isSecretName(name) ? '"<redacted>"' : formatValue(value)}`;
  }
  return text;
}

function formatValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "number":
    case "boolean":
    case "bigint":
      return String(value);
    case "object":
      if (value === null) return "null";
      if (value instanceof Error) return JSON.stringify(errorText(value));
      if (value instanceof Redacted) return '"<redacted>"';
      return formatObject(value);
    default:
      return JSON.stringify(String(value));
  }
}

function formatObject(value: object): string {
  try {
    const text = JSON.stringify(value, (name, inner: unknown) =>
      isSecretName(name) ? "<redacted>" : typeof inner === "bigint" ? String(inner) : inner,
    );
    return text ?? '"?"';
  } catch {
    // A cycle, or a toJSON that throws: logging must not fail.
    return '"<unprintable>"';
  }
}

/** The message of an error with those of its causes. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = error.message === "" ? error.name : error.message;
  return error.cause === undefined || text.includes(errorText(error.cause))
    ? text
    : `${text}: ${errorText(error.cause)}`;
}
