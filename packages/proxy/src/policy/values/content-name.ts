import { createHash } from "node:crypto";

/**
 * The name of a chain or set that is determined by its content, such as `ports-` and 32 hexadecimal digits. So equal
 * contents share a chain, a chain with a name never changes, and no text of a user gets into a name. 128 bits of
 * SHA-256, because the authors of policies choose the contents.
 */
export function contentName(kind: string, content: readonly string[]): string {
  return `${kind}-${createHash("sha256").update(JSON.stringify(content)).digest("hex").slice(0, 32)}`;
}
