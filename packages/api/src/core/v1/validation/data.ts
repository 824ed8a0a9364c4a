/** Limit of the values of a ConfigMap or Secret together, in bytes. */
export const maxDataBytes = 1024 * 1024;

/** Number of bytes that base64 text encodes, without decoding it. */
export function base64Bytes(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return (text.length / 4) * 3 - padding;
}
