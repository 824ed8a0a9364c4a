/** A value as it was before it was stored. */
export interface Plain {
  readonly value: Buffer;
  /** Whether it would be stored in another form today: with another key, or at all encrypted. */
  readonly stale: boolean;
}

/**
 * Turns values into what is stored and back. The key is authenticated with the value, so that a writer of the
 * store cannot move a value to another key. It returns a value where it can; a promise means that another process is called.
 */
export interface ValueTransformer {
  /** @throws StoreError (or rejects with one) `Corrupt` if the value cannot be read, `Unavailable` if its key cannot be had now */
  fromStorage(stored: Buffer, key: string): Plain | Promise<Plain>;
  toStorage(value: Uint8Array, key: string): Uint8Array | Promise<Uint8Array>;
}

/** One way of encrypting, with one key. */
export interface Provider {
  /** What everything that it stores starts with; empty for plain text. */
  readonly prefix: Buffer;
  /** @param key the name of the stored value, authenticated where the cipher can */
  seal(value: Uint8Array, key: string): Uint8Array | Promise<Uint8Array>;
  /** @param sealed without the prefix @throws Error if it was not sealed with this key */
  open(sealed: Buffer, key: string): Buffer | Promise<Buffer>;
  /** Whether a value would be sealed in another way now, e.g. because the key service has a new key. */
  stale?(sealed: Buffer): boolean;
}
