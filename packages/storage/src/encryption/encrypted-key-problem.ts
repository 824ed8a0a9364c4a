import type { EncryptedKey } from "./kms-messages.ts";

/**
 * Limits for the parts of an encrypted data key, in bytes. They are those of Kubernetes (KEP-3299): the parts are
 * stored with every value.
 */
const MAX_KEY_ID_BYTES = 1024;
const MAX_ENCRYPTED_KEY_BYTES = 1024;
const MAX_ANNOTATIONS_BYTES = 32 * 1024;
/** A domain of two segments or more. */
const DOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)+\.?$/;

/** Why a key id cannot be used; undefined if it can. */
export function keyIdProblem(keyId: string): "empty" | "too_long" | undefined {
  if (keyId === "") return "empty";
  return Buffer.byteLength(keyId) > MAX_KEY_ID_BYTES ? "too_long" : undefined;
}

/** Why an encrypted data key cannot be stored with values; undefined if it can. */
export function encryptedKeyProblem({ keyId, encryptedDek, annotations }: EncryptedKey): string | undefined {
  if (keyIdProblem(keyId) !== undefined)
    return `it encrypted with a key whose id has ${Buffer.byteLength(keyId)} bytes; want 1 to ${MAX_KEY_ID_BYTES}`;
  if (encryptedDek.length === 0 || encryptedDek.length > MAX_ENCRYPTED_KEY_BYTES)
    return `it encrypted a data key to ${encryptedDek.length} bytes; want 1 to ${MAX_ENCRYPTED_KEY_BYTES}`;
  let bytes = 0;
  for (const [name, value] of annotations) {
    if (name.length > 253 || !DOMAIN.test(name))
      return `it returned annotation ${JSON.stringify(name.slice(0, 100))}; want a domain of at least two segments`;
    bytes += Buffer.byteLength(name) + value.length;
  }
  if (bytes <= MAX_ANNOTATIONS_BYTES) return undefined;
  return `it returned annotations of ${bytes} bytes; want at most ${MAX_ANNOTATIONS_BYTES}`;
}
