/** Buffers log lines, and writes several at a time. */
export interface LineSink {
  write(line: string, urgent: boolean): void;
  /** Writes all buffered lines immediately. */
  flush(): void;
}

/**
 * Limit of the delay of a line, even if `--log-flush-frequency` allows more: people who follow a log expect to see
 * lines.
 */
const longestDelayMs = 50;
const mostBytes = 64 * 1024;

/** The options of {@link createLineSink}. */
export interface LineSinkOptions {
  /** Time for which lines are buffered at most, in milliseconds; called for each write. */
  readonly flushMs: () => number;
  /** Bytes that may be buffered for all of `flushMs`; 0: lines are buffered for at most 50 ms. @default 0 */
  readonly bufferBytes?: () => number;
  /** @default to standard error */
  readonly write?: (text: string) => void;
}

/**
 * A sink that buffers lines for at most `flushMs`, and never longer than 50 ms or 64 KiB unless a buffer is configured.
 * Urgent lines are written immediately. The timer does not keep the process alive; flush before exiting.
 */
export function createLineSink(options: LineSinkOptions): LineSink {
  const { flushMs, bufferBytes = () => 0, write = (text: string) => process.stderr.write(text) } = options;
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
      size += Buffer.byteLength(line);
      const buffered = bufferBytes();
      if (urgent || size >= (buffered > 0 ? buffered : mostBytes)) flush();
      else timer ??= setTimeout(flush, buffered > 0 ? flushMs() : Math.min(flushMs(), longestDelayMs)).unref();
    },
    flush,
  };
}
