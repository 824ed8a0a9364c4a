import { stat } from "node:fs/promises";

/** Which files to watch, and what to call when they change. */
export interface FileWatcherOptions {
  readonly files: readonly string[];
  /**
   * The state that the caller has already loaded, from {@link fileFingerprint}. @default the state at the first check
   */
  readonly since?: string;
  /** Milliseconds between checks. @default 2000 */
  readonly intervalMs?: number;
  /** Stops the watch when it aborts. */
  readonly signal: AbortSignal;
  /** Called after a change; never twice at the same time. Errors go to `onError`. */
  readonly onChange: () => Promise<void> | void;
  readonly onError: (error: unknown) => void;
}

/**
 * Watches files by polling device, inode, size and modification time, through symbolic links. Unlike the notifications
 * of the file system, polling also detects the replaced links of projected volumes and changes on network mounts. A
 * failed `onChange` is retried at the next check. The timer does not keep the process alive.
 */
export function watchFiles(options: FileWatcherOptions): void {
  const { files, signal, onChange, onError, intervalMs = 2000 } = options;
  let timer: NodeJS.Timeout | undefined;
  let seen = options.since;
  const check = async () => {
    try {
      const current = await fileFingerprint(files);
      if (seen !== undefined && current !== seen) await onChange();
      seen = current;
    } catch (error) {
      onError(error);
    }
    if (!signal.aborted) timer = setTimeout(check, intervalMs).unref();
  };
  signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  if (!signal.aborted) void check();
}

/** The state of files as one text: equal texts mean that no file changed. */
export async function fileFingerprint(files: readonly string[]): Promise<string> {
  const marks = await Promise.all(
    files.map(async (file) => {
      try {
        const { dev, ino, size, mtimeNs } = await stat(file, { bigint: true });
        return `${dev}:${ino}:${size}:${mtimeNs}`;
      } catch {
        return "absent";
      }
    }),
  );
  return marks.join("|");
}
