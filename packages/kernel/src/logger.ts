/** Key and value pairs of a log line; objects are written as JSON, errors as their message. */
export type LogValues = Readonly<Record<string, unknown>>;

/**
 * Structured log of a component, with the verbosity levels of klog. It is passed in with the options; there is no global one.
 *
 * Lines name the source file and line they come from. Values under names such as `token` or `password` are never written.
 */
export interface Logger {
  info(message: string, values?: LogValues): void;
  warn(message: string, values?: LogValues): void;
  /** `error` is undefined when the failure has no error object. */
  error(error: unknown, message: string, values?: LogValues): void;
  /** The logger when lines of this verbosity are written, else undefined: `logger.v(4)?.info("synced", { key })`. */
  v(level: number): Logger | undefined;
  /** A logger that adds these values to every line. */
  child(values: LogValues): Logger;
}

/** Writes nothing. */
export const silentLogger: Logger = Object.freeze({
  info() {},
  warn() {},
  error() {},
  v: () => undefined,
  child: () => silentLogger,
});
