/** Slack up to which a buffer may stay part of a larger allocation. */
const SLACK_BYTES = 64;

/**
 * The buffer itself if it has its memory to itself, else a copy that does: what is kept for long must not pin the slab or
 * network chunk it was cut from.
 */
export function retained(buffer: Buffer): Buffer {
  if (buffer.buffer.byteLength - buffer.length <= SLACK_BYTES) return buffer;
  const copy = Buffer.allocUnsafeSlow(buffer.length);
  buffer.copy(copy);
  return copy;
}
