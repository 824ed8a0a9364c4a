/** What this package needs of a component's logger. */
export interface Logger {
  info(message: string, values?: Readonly<Record<string, unknown>>): void;
  warn(message: string, values?: Readonly<Record<string, unknown>>): void;
  error(error: unknown, message: string, values?: Readonly<Record<string, unknown>>): void;
  /** The logger when lines of this verbosity are written. */
  v(level: number): Pick<Logger, "info"> | undefined;
}

/** Drops everything; the default where no logger is given. */
export const silentLogger: Logger = Object.freeze({ info() {}, warn() {}, error() {}, v: () => undefined });
