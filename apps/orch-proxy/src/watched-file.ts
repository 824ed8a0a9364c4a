import { readFile } from "node:fs/promises";
import type { Clock } from "@orchernetes/kernel";

/** How often the file is read, in milliseconds. */
const READ_MS = 2000;

/** A file as it was when its content was used. */
export interface WatchedFile {
  readonly path: string;
  readonly text: string;
}

/** Reads a file that is to be watched; undefined if that is not possible. */
export const watchedFile = (path: string): Promise<WatchedFile | undefined> =>
  readFile(path, "utf8").then(
    (text) => ({ path, text }),
    () => undefined,
  );

/**
 * Ends the daemon when the content of its configuration file changes, as the original does: whatever runs it starts it again. A file
 * that is gone, or is the same again, ends nothing.
 */
export function endOnOtherFile(
  file: WatchedFile,
  options: { readonly clock: Clock; readonly signal: AbortSignal; readonly end: (error: Error) => void },
): void {
  const { clock, signal, end } = options;
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      await clock.sleep(READ_MS, signal).catch(() => undefined);
      const now = signal.aborted ? undefined : await watchedFile(file.path);
      if (now !== undefined && now.text !== file.text)
        return end(new Error("content of the proxy server's configuration file was updated"));
    }
  };
  void follow();
}
