import { type Check, logCheck } from "@orchernetes/component";

const LOOK_EVERY_MS = 5_000;
/** A log whose lines are not read for this long is stuck. */
const STUCK_AFTER_MS = 120_000;

/** The part of a writable stream that shows whether the written data has left the process. */
export interface LogStream {
  readonly writableLength: number;
}

/**
 * Check `log`: fails when lines have been waiting in the log's stream for two minutes, as when the reader of the pipe has
 * stopped.
 * @param signal ends the looking
 */
export function watchLog(stream: LogStream, signal: AbortSignal, now: () => number = Date.now): Check {
  let flushed = now();
  const look = (): void => {
    if (stream.writableLength === 0) flushed = now();
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  timer.unref();
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
  const check = logCheck(() => flushed, STUCK_AFTER_MS, now);
  return {
    ...check,
    check(aborted) {
      look();
      return check.check(aborted);
    },
  };
}
