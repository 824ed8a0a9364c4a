import type { HttpRequest } from "@orchernetes/kernel";

/** The body of a request exceeds the limit of the server; the response is 413. */
export class BodyTooLargeError extends Error {
  override readonly name = "BodyTooLargeError";
  readonly limitBytes: number;
  constructor(limitBytes: number) {
    super(`the request body is larger than ${limitBytes} bytes`);
    this.limitBytes = limitBytes;
  }
}

/**
 * Reads a whole request body, over HTTP/1.1 and HTTP/2 alike, with or without a declared length.
 * @throws BodyTooLargeError as soon as the body is known to exceed the limit; the rest is not read.
 * @throws Error when the client disconnects first.
 */
export async function readBody(request: HttpRequest, limitBytes: number): Promise<Buffer> {
  const declared = Number(request.headers["content-length"]);
  if (declared > limitBytes) throw new BodyTooLargeError(limitBytes);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (error?: Error) => {
      request.off("data", onData).off("end", onEnd).off("error", finish).off("close", onClose).off("aborted", onClose);
      if (error === undefined) resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size));
      else reject(error);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limitBytes) {
        request.pause();
        finish(new BodyTooLargeError(limitBytes));
      } else chunks.push(chunk);
    };
    const onEnd = () => finish();
    const onClose = () => finish(new Error("the client disconnected before its request was complete"));
    request.on("data", onData).on("end", onEnd).on("error", finish).on("close", onClose).on("aborted", onClose);
  });
}
