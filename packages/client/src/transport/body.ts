import type { Readable } from "node:stream";
import type { Status } from "@orchernetes/apimachinery";
import { TransportError } from "./transport-error.ts";

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
      if (wasCut(message)) return;
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

/** Whether an HTTP/2 stream ended with its connection: Node ends it as if the body were complete, but keeps the code. */
const wasCut = (body: Readable): boolean => "rstCode" in body && body.rstCode !== 0;

/** Whether a decoded body is a Status. */
export function isStatus(value: unknown): value is Status {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "Status";
}
