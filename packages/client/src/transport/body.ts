import type { Readable } from "node:stream";
import type { Status } from "@orchernetes/apimachinery";
import type { TransportResponse } from "./transport.ts";
import { TransportError } from "./transport-error.ts";

/** The whole body of a response, as {@link readBody}; without waiting if it has arrived. */
export const bodyOf = (response: TransportResponse, signal?: AbortSignal): Buffer | Promise<Buffer> =>
  response.whole ?? readBody(response.body, signal);

/**
 * Reads the whole body.
 *
 * @throws TransportError when the connection ends before the body does; the signal's reason when it aborts
 */
export function readBody(message: Readable, signal?: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    let ended = false;
    message.once("end", () => {
      ended = true;
      const [first] = chunks;
      resolve(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks));
    });
    const failed = (cause?: Error): void => {
      // Every message closes, also a complete one; constructing an error for it would cost time.
      if (ended) return;
      reject(
        signal?.aborted
          ? signal.reason
          : new TransportError("reading the response: the connection ended before the body did", {
              code: "ECONNRESET",
              sent: true,
              cause,
            }),
      );
    };
    message.once("error", failed);
    message.once("close", () => failed());
  });
}

/** Whether a decoded body is a Status. */
export function isStatus(value: unknown): value is Status {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "Status";
}
