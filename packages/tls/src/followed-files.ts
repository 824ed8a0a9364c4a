import { fileFingerprint, watchFiles } from "./file-watcher.ts";

/** What files hold, loaded again whenever they change. */
export interface Followed<T> {
  /** The value in force. It stays the same object until the files change. */
  current(): T;
  /** Calls back after each change, when `current` already answers the new value. */
  onChange(listener: (current: T, former: T) => void): void;
}

/** How files are followed. */
export interface FollowOptions<T> {
  readonly files: readonly string[];
  /** Reads the files; called at the start and after each change. */
  readonly load: () => Promise<T>;
  /** @default 2000 */
  readonly intervalMs?: number | undefined;
  /** Ends the watch; the last value stays. */
  readonly signal: AbortSignal;
  /** Called when changed files cannot be used; the former value stays in force. */
  readonly onError: (error: unknown) => void;
}

/** A value without a file behind it. */
export function fixed<T>(value: T): Followed<T> {
  return { current: () => value, onChange: () => undefined };
}

/**
 * Loads files and keeps the value fresh. What a listener throws is reported through `onError`.
 * @throws whatever the first `load` throws
 */
export async function followFiles<T>(options: FollowOptions<T>): Promise<Followed<T>> {
  const { files, load, signal, intervalMs, onError } = options;
  const listeners: ((current: T, former: T) => void)[] = [];
  // Taken before loading: a change that lands between the two is then seen by the first look.
  const since = await fileFingerprint(files);
  let value = await load();
  watchFiles({
    files,
    since,
    signal,
    onError,
    ...(intervalMs === undefined ? {} : { intervalMs }),
    onChange: async () => {
      const former = value;
      value = await load();
      for (const listener of listeners) {
        try {
          listener(value, former);
        } catch (error) {
          onError(error);
        }
      }
    },
  });
  return { current: () => value, onChange: (listener) => void listeners.push(listener) };
}
