/** Bytes by which the allocation of a buffer may be larger than the buffer. */
const SLACK_BYTES = 64;

/**
 * Returns the buffer if it does not share its memory, otherwise a copy: a buffer that is kept for long must not retain the network
 * chunk of which it is a part.
 */
export function retained(buffer: Buffer): Buffer {
  if (buffer.buffer.byteLength - buffer.length <= SLACK_BYTES) return buffer;
  const copy = Buffer.allocUnsafeSlow(buffer.length);
  buffer.copy(copy);
  return copy;
}
