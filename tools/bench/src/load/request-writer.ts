import { type RequestTemplate, SERIAL_DIGITS } from "./request-template.ts";

/** Returns the bytes of the next request: a template is encoded once, and only its digits are written for each request. */
export function requestWriter(templates: readonly RequestTemplate[]): () => Buffer {
  const made = templates.map((pieces) => {
    const bytes = Buffer.from(pieces.join("0".repeat(SERIAL_DIGITS)));
    return { bytes, at: pieces.length > 1 ? Buffer.byteLength(pieces[0] ?? "") : -1 };
  });
  let n = 0;
  return () => {
    const { bytes, at } = made[++n % made.length] ?? { bytes: Buffer.alloc(0), at: -1 };
    if (at < 0) return bytes;
    const request = Buffer.from(bytes);
    request.write(String(n).padStart(SERIAL_DIGITS, "0"), at, "latin1");
    return request;
  };
}
