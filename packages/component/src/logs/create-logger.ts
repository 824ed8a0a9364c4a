import { Writable } from "node:stream";
import type { Logger, LogValues } from "@orchernetes/kernel";
import { createLogger as createWinston, format, transports, type Logger as WinstonLogger } from "winston";
import { callerOf } from "./caller.ts";
import { errorText, formatValues, logHeader } from "./format.ts";
import { jsonLine } from "./json-format.ts";
import { outputWriter } from "./line-file.ts";
import { createLineSink, type LineSink } from "./line-sink.ts";
import { parseVerbosity, type Verbosity, verbosityAt } from "./verbosity.ts";

/** The options of a logger. */
export interface LoggerOptions {
  /** `--v`. @default 0 */
  readonly verbosity?: number;
  /** `--vmodule`: `pattern=N` items. */
  readonly vmodule?: readonly string[];
  /** `--log-flush-frequency` in milliseconds. @default 5000 */
  readonly flushMs?: number;
  /** `--logging-format`. @default "text" */
  readonly format?: LogFormat;
  /** `--log-json-split-stream`: in JSON form, lines that are no errors go to standard output. @default false */
  readonly splitStream?: boolean;
  /** `--log-json-info-buffer-size`: bytes that such lines may wait for before they are written. @default 0 */
  readonly infoBufferBytes?: number;
  /** Where lines go. @default standard error */
  readonly sink?: LineSink;
  /** Where lines that are no errors go if the streams are split. @default standard output */
  readonly infoSink?: LineSink;
  /** Wall clock in milliseconds with a fraction. */
  readonly now?: () => number;
  /** @default process.pid */
  readonly pid?: number;
}

/** The format of lines: klog's text, or a JSON object each. */
export type LogFormat = "text" | "json";

/** The settings that a configuration file may change. */
export type LogSettings = Pick<
  LoggerOptions,
  "verbosity" | "vmodule" | "flushMs" | "format" | "splitStream" | "infoBufferBytes"
>;

/** A logger that can write what it has buffered. */
export interface RootLogger extends Logger {
  /** Writes buffered lines immediately; call it before the process ends. */
  flush(): void;
  /** Changes the verbosity, also of child loggers, for settings that come from a configuration file. */
  configure(options: LogSettings): void;
  /** Changes the general verbosity, also of child loggers; patterns of files keep theirs. */
  setVerbosity(level: number): void;
}

const severities = { info: "I", warn: "W", error: "E" } as const;
type Level = keyof typeof severities;

/** The current settings. */
interface Settings {
  verbosity: Verbosity;
  flushMs: number;
  format: LogFormat;
  splitStream: boolean;
  infoBufferBytes: number;
}

/**
 * Creates the logger of a process: winston with the formats of upstream's components, `I0102 15:04:05.000000    1234
 * file.ts:12] message key="value"` or `{"ts":…,"caller":"file.ts:12","msg":"message","v":0,"key":"value"}`.
 */
export function createLogger(options: LoggerOptions = {}): RootLogger {
  const settings: Settings = {
    verbosity: parseVerbosity(options.verbosity ?? 0, options.vmodule ?? []),
    flushMs: options.flushMs ?? 5000,
    format: options.format ?? "text",
    splitStream: options.splitStream ?? false,
    infoBufferBytes: options.infoBufferBytes ?? 0,
  };
  const notice = (dropped: number) => noticeOf(settings, options, dropped);
  const sink = options.sink ?? createLineSink({ flushMs: () => settings.flushMs, write: outputWriter(2, notice) });
  const infoSink =
    options.infoSink ??
    createLineSink({
      flushMs: () => settings.flushMs,
      bufferBytes: () => settings.infoBufferBytes,
      write: outputWriter(1, notice),
    });
  const winston = createWinston({
    levels: { error: 0, warn: 1, info: 2 },
    level: "info",
    format: lineFormat(settings, options)(),
    transports: [new transports.Stream({ stream: streamTo(settings, sink, infoSink), eol: "" })],
  });
  return Object.assign(new WinstonBackedLogger(winston, settings, {}, 0), {
    flush() {
      infoSink.flush();
      sink.flush();
    },
    configure(changed: LogSettings) {
      const { verbosity, vmodule, ...others } = changed;
      settings.verbosity = parseVerbosity(verbosity ?? 0, vmodule ?? []);
      Object.assign(settings, Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined)));
    },
    setVerbosity(level: number) {
      settings.verbosity = { ...settings.verbosity, level };
    },
  });
}

/** The key under which winston expects the finished line. */
const LINE: unique symbol = Symbol.for("message");

type LineOptions = Pick<LoggerOptions, "now" | "pid">;

const lineFormat = (settings: Settings, options: LineOptions) =>
  format((entry) => {
    entry[LINE] = lineOf(entry as unknown as Entry, settings, options);
    return entry;
  });

function lineOf(entry: Entry, settings: Settings, options: LineOptions): string {
  const { level, message, caller, values, verbosity } = entry;
  const timeMs = options.now?.() ?? performance.timeOrigin + performance.now();
  if (settings.format === "json") {
    const noError = level !== "error";
    return jsonLine({ timeMs, caller, message, values, verbosity: noError ? verbosity : undefined });
  }
  // A line break in a message could be mistaken for a separate line.
  const safe = message.replaceAll("\n", "\\n");
  return `${logHeader(severities[level], timeMs, options.pid ?? process.pid, caller)}${safe}${formatValues(values)}\n`;
}

/** The line that reports dropped lines. */
function noticeOf(settings: Settings, options: LineOptions, lines: number): string {
  const message = "Dropped log lines: no space was left on their disk";
  const caller = callerOf(noticeOf);
  return lineOf({ level: "warn", message, caller, values: { lines }, verbosity: 0 }, settings, options);
}

/** A stream that passes lines to the sinks; errors are written immediately. */
function streamTo(settings: Settings, sink: LineSink, infoSink: LineSink): Writable {
  return new Writable({
    objectMode: true,
    write(entry: Entry & { readonly [LINE]: string }, _encoding, done) {
      const isError = entry.level === "error";
      const to = settings.format === "json" && settings.splitStream && !isError ? infoSink : sink;
      to.write(entry[LINE], isError);
      done();
    },
  });
}

interface Entry {
  readonly level: Level;
  readonly message: string;
  readonly caller: string;
  readonly values: LogValues;
  readonly verbosity: number;
}

class WinstonBackedLogger implements Logger {
  readonly #winston: WinstonLogger;
  readonly #settings: Readonly<Settings>;
  readonly #values: LogValues;
  /** Verbosity of its lines. */
  readonly #level: number;

  constructor(winston: WinstonLogger, settings: Readonly<Settings>, values: LogValues, level: number) {
    this.#winston = winston;
    this.#settings = settings;
    this.#values = values;
    this.#level = level;
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
    const { verbosity, format } = this.#settings;
    const { level: everywhere, modules } = verbosity;
    const wanted = modules.length === 0 ? everywhere : verbosityAt(verbosity, callerOf(this.v));
    if (level > wanted) return undefined;
    // Lines of text do not contain their verbosity.
    return format === "text" ? this : new WinstonBackedLogger(this.#winston, this.#settings, this.#values, level);
  }

  child(values: LogValues): Logger {
    return new WinstonBackedLogger(this.#winston, this.#settings, { ...this.#values, ...values }, this.#level);
  }

  #write(level: Level, message: string, caller: string, values: LogValues = {}): void {
    const all = { ...this.#values, ...values };
    this.#winston.log({ level, message, caller, values: all, verbosity: this.#level });
  }
}
