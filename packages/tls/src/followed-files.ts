import { fileFingerprint, watchFiles } from "./file-watcher.ts";

/** A value loaded from files, and reloaded whenever they change. */
export interface Followed<T> {
  /** The value in use. It stays the same object until the files change. */
  current(): T;
  /** Registers a listener that is called after each change, when `current` already returns the new value. */
  onChange(listener: (current: T, former: T) => void): void;
}

/** Options of {@link followFiles}. */
export interface FollowOptions<T> {
  readonly files: readonly string[];
  /** Reads the files; called at the start and after each change. */
  readonly load: () => Promise<T>;
  /** Polling interval in milliseconds. @default 2000 */
  readonly intervalMs?: number | undefined;
  /** Stops watching; the last value stays in effect. */
  readonly signal: AbortSignal;
  /** Called when changed files cannot be used; the previous value stays in effect. */
  readonly onError: (error: unknown) => void;
}

/** A constant value without files. */
export function fixed<T>(value: T): Followed<T> {
  return { current: () => value, onChange: () => undefined };
}

/** A value that its owner replaces. Setting the same object again changes nothing. */
export function followedValue<T>(initial: T): Followed<T> & { set(value: T): void } {
  const listeners: ((current: T, former: T) => void)[] = [];
  let value = initial;
  return {
    current: () => value,
    onChange: (listener) => void listeners.push(listener),
    set(next) {
      const former = value;
      if (next === former) return;
      value = next;
      for (const listener of listeners) listener(value, former);
    },
  };
}

/**
 * Loads files and reloads them when they change. Errors thrown by listeners are reported through `onError`.
 * @throws whatever the first `load` throws
 */
export async function followFiles<T>(options: FollowOptions<T>): Promise<Followed<T>> {
  const { files, load, signal, intervalMs, onError } = options;
  const listeners: ((current: T, former: T) => void)[] = [];
  // Taken before loading, so that the first check sees a change made in between.
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
