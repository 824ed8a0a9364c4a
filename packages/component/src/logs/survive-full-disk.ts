import type { Writable } from "node:stream";

const codes: readonly (string | undefined)[] = ["ENOSPC", "EDQUOT"];

/**
 * Has a process live on when its output cannot be written because the disk is full: a daemon that serves must not end for its log. What it
 * writes meanwhile is lost. Other errors, such as a reader that is gone, end the process as ever.
 */
export function surviveFullDisk(streams: readonly Writable[] = [process.stdout, process.stderr]): void {
  for (const stream of streams)
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (!codes.includes(error.code)) throw error;
    });
}
