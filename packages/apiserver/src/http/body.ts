import { badRequest, requestEntityTooLarge } from "@orchernetes/apimachinery";
import type { HttpRequest } from "@orchernetes/kernel";

/**
 * Reads a whole request body, of HTTP/1.1 or HTTP/2, with or without a declared length.
 *
 * @param maxBytes limit; a declared length above it is rejected before anything is read
 * @throws ApiError RequestEntityTooLarge; BadRequest when the client disconnects before the end
 */
export function readBody(req: HttpRequest, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => requestEntityTooLarge(`limit is ${maxBytes}`);
  const declared = req.headers["content-length"];
  if (declared !== undefined && Number(declared) > maxBytes) {
    req.resume();
    return Promise.reject(tooLarge());
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        leave();
        // The rest is dropped, so that the response can be delivered on the same connection.
        req.resume();
        reject(tooLarge());
        return;
      }
      chunks.push(chunk);
    };
    const onEnd = () => {
      if (settled) return;
      settled = true;
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, size));
    };
    const onGone = () => {
      if (settled) return;
      leave();
      reject(badRequest("the request body ended before it was complete"));
    };
    let settled = false;
    // The other listeners are collected with the request; removing them individually would cost more.
    const leave = () => {
      settled = true;
      req.off("data", onData);
    };
    req.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone);
    if (req.readableEnded) onEnd();
  });
}
