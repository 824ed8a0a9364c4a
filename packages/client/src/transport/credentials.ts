import { readFileSync, statSync } from "node:fs";
import { type Clock, systemClock } from "@orchernetes/kernel";

/** The TLS material of a client, in PEM. */
export interface ClientTls {
  /** Authorities of the server's certificate. @default those of the system */
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  /** Disables the verification of the server's certificate. */
  readonly insecure?: boolean;
  /** Name to check the server's certificate against instead of the host in the address. */
  readonly serverName?: string;
}

/** A bearer token that may change during the lifetime of the client. */
export interface TokenSource {
  /** Returns the token to send, or undefined for none. Called for every request, so it must be quick. */
  current(): string | undefined;
  /**
   * Called when the server rejected the token with 401. Resolves to whether a different token is available now,
   * fetching one if necessary; then the request is sent once more.
   */
  refused(): boolean | Promise<boolean>;
}

/** Milliseconds between checks of a file's modification time. */
const recheckMs = 10_000;

/**
 * Returns a value that is read from files, and read again when one of them has changed. Files are checked at most
 * every 10 s, when the value is used, so an idle client reads nothing. If they cannot be read later, the last value
 * stays in use, because rotation replaces files in several steps.
 *
 * @param load reads the files; a new value must be a new object
 * @throws the error of `load`, on the first call only
 */
export function reloading<T>(
  paths: readonly string[],
  load: () => T,
  clock: Clock = systemClock,
): { current(): T; reload(): boolean } {
  let value: T | undefined;
  let loaded = false;
  let stamp = "";
  let checkedAt = 0;
  const stampOf = (): string =>
    paths
      .map((path) => {
        // The inode changes when a volume swaps its symbolic link, even if the time does not.
        const { mtimeMs, ino, size } = statSync(path);
        return `${mtimeMs}:${ino}:${size}`;
      })
      .join();
  const check = (): boolean => {
    checkedAt = clock.monotonicMs();
    try {
      const seen = stampOf();
      if (seen === stamp) return false;
      value = load();
      loaded = true;
      stamp = seen;
      return true;
    } catch (error) {
      if (!loaded) throw error;
      return false;
    }
  };
  return {
    current() {
      if (!loaded || clock.monotonicMs() - checkedAt >= recheckMs) check();
      return value as T;
    },
    reload: check,
  };
}

/** A token in a file, which is read again when it changes. Surrounding white space is removed. */
export function tokenFromFile(path: string, clock: Clock = systemClock): TokenSource {
  const file = reloading([path], () => readFileSync(path, "utf8").trim(), clock);
  return { current: () => file.current(), refused: () => file.reload() };
}

/** A token that never changes. */
export function staticToken(token: string): TokenSource {
  return { current: () => token, refused: () => false };
}
