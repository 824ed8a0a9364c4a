import { readFileSync, statSync } from "node:fs";
import { type Clock, systemClock } from "@orchernetes/kernel";

/** TLS material of a client, PEM. */
export interface ClientTls {
  /** Authorities the server's certificate must chain to; absent: the system's. */
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  /** Accepts any server certificate. */
  readonly insecure?: boolean;
  /** Name to check the server's certificate against instead of the host in the address. */
  readonly serverName?: string;
}

/** A bearer token that may change while the client lives. */
export interface TokenSource {
  /** The token to send now. */
  current(): string | undefined;
  /** Called when the server rejected the token. Resolves to whether a different token is available now, fetching one if necessary. */
  refused(): boolean | Promise<boolean>;
}

/** How long a file's content is trusted before its modification time is looked at again. */
const recheckMs = 10_000;

/**
 * A value read from files and read again when one of them has changed. Files are looked at every 10 s at most; a file that
 * cannot be read later on leaves the last good value in place, since rotation replaces files in several steps.
 *
 * @throws what `load` throws, on the first call only
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

/** The token in a file, followed as the file changes. Surrounding white space is dropped. */
export function tokenFromFile(path: string, clock: Clock = systemClock): TokenSource {
  const file = reloading([path], () => readFileSync(path, "utf8").trim(), clock);
  return { current: () => file.current(), refused: () => file.reload() };
}

/** A token that never changes. */
export function staticToken(token: string): TokenSource {
  return { current: () => token, refused: () => false };
}
