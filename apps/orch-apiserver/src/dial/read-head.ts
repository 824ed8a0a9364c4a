import type { Duplex } from "node:stream";

/** The head of an HTTP/1 answer, and what was received after it. */
export interface ReceivedHead {
  /** With the blank line. */
  readonly head: Buffer;
  readonly rest: Buffer;
}

/** Limits of {@link readHead}. */
export interface HeadLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** Its reason is the error when it aborts. */
  readonly signal?: AbortSignal;
}

const END = "\r\n\r\n";

/**
 * Reads up to the blank line that ends the head of an HTTP/1 answer. The stream does not flow then, until somebody listens to it.
 *
 * @throws Error when the head is too long, does not come in time, or the stream ends before it does
 */
export function readHead(socket: Duplex, { maxBytes, timeoutMs, signal }: HeadLimits): Promise<ReceivedHead> {
  return new Promise((resolve, reject) => {
    let seen = Buffer.alloc(0);
    const done = (error?: Error) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      socket.off("readable", onReadable).off("error", done).off("end", onEnd).off("close", onEnd);
      if (error) reject(error);
    };
    const onEnd = () => done(new Error("the connection was closed before an answer came"));
    const onAbort = () => done(signal?.reason);
    const onReadable = () => {
      const chunk: Buffer | null = socket.read();
      if (chunk === null) return;
      const from = Math.max(0, seen.length - END.length);
      seen = Buffer.concat([seen, chunk]);
      const end = seen.indexOf(END, from);
      if (end > maxBytes || (end === -1 && seen.length > maxBytes)) {
        done(new Error(`the head of the response is longer than ${maxBytes} bytes`));
        return;
      }
      if (end === -1) return;
      done();
      resolve({ head: seen.subarray(0, end + END.length), rest: seen.subarray(end + END.length) });
    };
    const timer = setTimeout(() => done(new Error(`no response within ${timeoutMs} ms`)), timeoutMs);
    socket.on("readable", onReadable).on("error", done).on("end", onEnd).on("close", onEnd);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
  });
}
