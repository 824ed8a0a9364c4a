/** Collects log lines and writes several at once. */
export interface LineSink {
  write(line: string, urgent: boolean): void;
  /** Writes what is held back, at once. */
  flush(): void;
}

/** Lines are held back no longer than this even when `--log-flush-frequency` allows more: whoever follows a log expects to see it. */
const longestDelayMs = 50;
const mostBytes = 64 * 1024;

/**
 * A sink that holds lines back for at most `flushMs` at that time (and never longer than 50 ms) or 64 KiB; urgent lines go out at once. The
 * timer does not keep the process alive; flush before exiting.
 * @param write where text goes, by default standard error
 */
export function createLineSink(
  flushMs: () => number,
  write: (text: string) => void = (text) => process.stderr.write(text),
): LineSink {
  let lines: string[] = [];
  let size = 0;
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (lines.length === 0) return;
    const text = lines.join("");
    lines = [];
    size = 0;
    write(text);
  };
  return {
    write(line, urgent) {
      lines.push(line);
      size += line.length;
      if (urgent || size >= mostBytes) flush();
      else timer ??= setTimeout(flush, Math.min(flushMs(), longestDelayMs)).unref();
    },
    flush,
  };
}
