/** What this package needs of a winston logger. */
export interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Drops everything; the default where no logger is given. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
