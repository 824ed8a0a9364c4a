/** A decrypted value. */
export interface Plain {
  readonly value: Buffer;
  /** Whether its stored form is outdated: it would now be encrypted with another key, or encrypted at all. */
  readonly stale: boolean;
}

/**
 * Converts values to their stored form and back. The key is authenticated with the value, so that a value that is copied to another key
 * of the store cannot be read. The result is a promise only if another process has to be called.
 */
export interface ValueTransformer {
  /** @throws StoreError (or rejects with one) `Corrupt` if the value cannot be read, `Unavailable` if its data key cannot be decrypted now */
  fromStorage(stored: Buffer, key: string): Plain | Promise<Plain>;
  /** @throws StoreError (or rejects with one) `Unavailable` if there is no data key and none can be created */
  toStorage(value: Uint8Array, key: string): Uint8Array | Promise<Uint8Array>;
}

/** A cipher with one key. */
export interface Provider {
  /** The start of every value that it stores; empty for plain text. */
  readonly prefix: Buffer;
  /** @param key the key of the stored value, which is authenticated if the cipher can do so */
  seal(value: Uint8Array, key: string): Uint8Array | Promise<Uint8Array>;
  /** @param sealed without the prefix @throws Error if it was not encrypted with this key */
  open(sealed: Buffer, key: string): Buffer | Promise<Buffer>;
  /** Whether a value would be encrypted differently now, e.g. because the key service has a new key. */
  stale?(sealed: Buffer): boolean;
}
