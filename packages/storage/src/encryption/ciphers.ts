import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import type { Provider } from "./transformer.ts";

const require = createRequire(import.meta.url);

/** A named secret of the encryption configuration. */
export interface NamedKey {
  readonly name: string;
  readonly secret: Buffer;
}

// Lengths in bytes.
const GCM_NONCE = 12;
const GCM_TAG = 16;
const CBC_BLOCK = 16;
const BOX_NONCE = 24;

/** Stores values as plain text. */
export const identity: Provider = {
  prefix: Buffer.alloc(0),
  seal: (value) => value,
  open: (sealed) => sealed,
};

/**
 * AES in Galois/Counter mode, preceded by a random nonce. The key of the stored value is authenticated.
 *
 * @param key its secret has 16, 24 or 32 bytes
 */
export function aesGcm({ name, secret }: NamedKey): Provider {
  return {
    prefix: Buffer.from(`o8s:enc:aesgcm:v1:${name}:`),
    seal: (value, key) => gcmSeal(secret, value, key),
    open: (sealed, key) => gcmOpen(secret, sealed, key),
  };
}

/**
 * AES in cipher block chaining mode with the padding of PKCS #7, preceded by a random initialization vector. It is
 * not authenticated, so a value that is modified in the store may decrypt to something else; it exists for
 * compatibility.
 *
 * @param key its secret has 16, 24 or 32 bytes
 */
export function aesCbc({ name, secret }: NamedKey): Provider {
  const cipher = `aes-${secret.length * 8}-cbc`;
  return {
    prefix: Buffer.from(`o8s:enc:aescbc:v1:${name}:`),
    seal(value) {
      const iv = randomBytes(CBC_BLOCK);
      const aes = createCipheriv(cipher, secret, iv);
      return Buffer.concat([iv, aes.update(value), aes.final()]);
    },
    open(sealed) {
      if (sealed.length < 2 * CBC_BLOCK) throw new Error("the value is too short");
      const aes = createDecipheriv(cipher, secret, sealed.subarray(0, CBC_BLOCK));
      return Buffer.concat([aes.update(sealed.subarray(CBC_BLOCK)), aes.final()]);
    },
  };
}

/**
 * libsodium's secretbox (XSalsa20-Poly1305), preceded by a random nonce.
 *
 * @param key its secret has 32 bytes
 */
export function secretbox({ name, secret }: NamedKey): Provider {
  // Loaded on first use, because few servers use it.
  const { xsalsa20poly1305 }: typeof import("@noble/ciphers/salsa.js") = require("@noble/ciphers/salsa.js");
  return {
    prefix: Buffer.from(`o8s:enc:secretbox:v1:${name}:`),
    seal(value) {
      const nonce = randomBytes(BOX_NONCE);
      return Buffer.concat([nonce, xsalsa20poly1305(secret, nonce).encrypt(value)]);
    },
    open(sealed) {
      if (sealed.length < BOX_NONCE) throw new Error("the value is too short");
      const plain = xsalsa20poly1305(secret, sealed.subarray(0, BOX_NONCE)).decrypt(sealed.subarray(BOX_NONCE));
      return Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength);
    },
  };
}

/**
 * Encrypts with AES-GCM.
 *
 * @param authenticated text that must be the same at decryption
 * @returns nonce, ciphertext and tag
 */
export function gcmSeal(secret: Buffer, value: Uint8Array, authenticated: string): Buffer {
  const nonce = randomBytes(GCM_NONCE);
  const aes = createCipheriv(gcmOf(secret), secret, nonce).setAAD(Buffer.from(authenticated));
  return Buffer.concat([nonce, aes.update(value), aes.final(), aes.getAuthTag()]);
}

/**
 * Decrypts the result of {@link gcmSeal}.
 *
 * @throws Error if it was not encrypted with this secret and text
 */
export function gcmOpen(secret: Buffer, sealed: Buffer, authenticated: string): Buffer {
  if (sealed.length < GCM_NONCE + GCM_TAG) throw new Error("the value is too short");
  const end = sealed.length - GCM_TAG;
  // Without authTagLength Node accepts shorter tags, which are easier to forge.
  const aes = createDecipheriv(gcmOf(secret), secret, sealed.subarray(0, GCM_NONCE), { authTagLength: GCM_TAG })
    .setAAD(Buffer.from(authenticated))
    .setAuthTag(sealed.subarray(end));
  return Buffer.concat([aes.update(sealed.subarray(GCM_NONCE, end)), aes.final()]);
}

function gcmOf(secret: Buffer): "aes-128-gcm" | "aes-192-gcm" | "aes-256-gcm" {
  return secret.length === 16 ? "aes-128-gcm" : secret.length === 24 ? "aes-192-gcm" : "aes-256-gcm";
}
