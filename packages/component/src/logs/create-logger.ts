import { Writable } from "node:stream";
import type { Logger, LogValues } from "@orchernetes/kernel";
import { createLogger as createWinston, format, transports, type Logger as WinstonLogger } from "winston";
import { callerOf } from "./caller.ts";
import { errorText, formatValues, logHeader } from "./format.ts";
import { createLineSink, type LineSink } from "./line-sink.ts";
import { parseVerbosity, type Verbosity, verbosityAt } from "./verbosity.ts";

/** How a process logs. */
export interface LoggerOptions {
  /** `--v`. @default 0 */
  readonly verbosity?: number;
  /** `--vmodule`: `pattern=N` items. */
  readonly vmodule?: readonly string[];
  /** `--log-flush-frequency` in milliseconds. @default 5000 */
  readonly flushMs?: number;
  /** Where lines go. @default standard error */
  readonly sink?: LineSink;
  /** Wall clock in milliseconds with a fraction. */
  readonly now?: () => number;
  /** @default process.pid */
  readonly pid?: number;
}

/** A logger with the means to write out what it holds back. */
export interface RootLogger extends Logger {
  /** Writes buffered lines at once; call it before the process ends. */
  flush(): void;
  /** Changes the verbosity, also of child loggers, for settings that come from a configuration file. */
  configure(options: Pick<LoggerOptions, "verbosity" | "vmodule" | "flushMs">): void;
}

const severities = { info: "I", warn: "W", error: "E" } as const;
type Level = keyof typeof severities;

/**
 * Makes the logger of a process: winston with the text format of the original components,
 * `I0102 15:04:05.000000    1234 file.ts:12] message key="value"`.
 */
export function createLogger(options: LoggerOptions = {}): RootLogger {
  let flushMs = options.flushMs ?? 5000;
  const sink = options.sink ?? createLineSink(() => flushMs);
  const now = options.now ?? (() => performance.timeOrigin + performance.now());
  const pid = options.pid ?? process.pid;
  const line = Symbol.for("message");
  const text = format((entry) => {
    const { level, message, caller, values } = entry as unknown as Entry;
    // A line break in a message could pass for a line of its own.
    const safe = message.replaceAll("\n", "\\n");
    entry[line] = `${logHeader(severities[level], now(), pid, caller)}${safe}${formatValues(values)}\n`;
    return entry;
  });
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      sink.write(chunk, chunk.startsWith("E"));
      done();
    },
  });
  const winston = createWinston({
    levels: { error: 0, warn: 1, info: 2 },
    level: "info",
    format: text(),
    transports: [new transports.Stream({ stream, eol: "" })],
  });
  const setting = { verbosity: parseVerbosity(options.verbosity ?? 0, options.vmodule ?? []) };
  return Object.assign(new WinstonBackedLogger(winston, setting, {}), {
    flush: () => sink.flush(),
    configure(changed: Pick<LoggerOptions, "verbosity" | "vmodule" | "flushMs">) {
      setting.verbosity = parseVerbosity(changed.verbosity ?? 0, changed.vmodule ?? []);
      flushMs = changed.flushMs ?? flushMs;
    },
  });
}

interface Entry {
  readonly level: Level;
  readonly message: string;
  readonly caller: string;
  readonly values: LogValues;
}

class WinstonBackedLogger implements Logger {
  readonly #winston: WinstonLogger;
  readonly #setting: { readonly verbosity: Verbosity };
  readonly #values: LogValues;

  constructor(winston: WinstonLogger, setting: { readonly verbosity: Verbosity }, values: LogValues) {
    this.#winston = winston;
    this.#setting = setting;
    this.#values = values;
  }

  info(message: string, values?: LogValues): void {
    this.#write("info", message, callerOf(this.info), values);
  }

  warn(message: string, values?: LogValues): void {
    this.#write("warn", message, callerOf(this.warn), values);
  }

  error(error: unknown, message: string, values?: LogValues): void {
    const err = error === undefined ? undefined : errorText(error);
    this.#write("error", message, callerOf(this.error), { err, ...values });
  }

  v(level: number): Logger | undefined {
    const { verbosity } = this.#setting;
    const { level: everywhere, modules } = verbosity;
    if (modules.length === 0) return level <= everywhere ? this : undefined;
    return level <= verbosityAt(verbosity, callerOf(this.v)) ? this : undefined;
  }

  child(values: LogValues): Logger {
    return new WinstonBackedLogger(this.#winston, this.#setting, { ...this.#values, ...values });
  }

  #write(level: Level, message: string, caller: string, values: LogValues = {}): void {
    this.#winston.log({ level, message, caller, values: { ...this.#values, ...values } });
  }
}
