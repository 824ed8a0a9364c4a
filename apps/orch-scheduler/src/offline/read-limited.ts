import { createReadStream } from "node:fs";

/**
 * Reads a file as text. The limit also holds for what has no size, such as a pipe or a device, and for a file that grows.
 *
 * @throws Error if it is larger, or cannot be read
 */
export async function readLimited(file: string, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`${file}: found more than ${maxBytes} bytes; want at most ${maxBytes}`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString("utf8");
}
