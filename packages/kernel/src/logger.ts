/** The key and value pairs of a log line. Objects are written as JSON, errors as their message. */
export type LogValues = Readonly<Record<string, unknown>>;

/**
 * The structured log of a component, with the verbosity levels of klog. It is passed in as an option; there is no global logger.
 *
 * Lines name the source file and line they come from. Values under names such as `token` or `password` are never written.
 */
export interface Logger {
  info(message: string, values?: LogValues): void;
  warn(message: string, values?: LogValues): void;
  /** Logs a failure. `error` is undefined when there is no error object. */
  error(error: unknown, message: string, values?: LogValues): void;
  /** Returns the logger if lines of this verbosity are written, and otherwise undefined, so that the values are not even computed: `logger.v(4)?.info("synced", { key })`. */
  v(level: number): Logger | undefined;
  /** Returns a logger that adds these values to every line. */
  child(values: LogValues): Logger;
}

/** A logger that writes nothing: the default of libraries. */
export const silentLogger: Logger = Object.freeze({
  info() {},
  warn() {},
  error() {},
  v: () => undefined,
  child: () => silentLogger,
});
