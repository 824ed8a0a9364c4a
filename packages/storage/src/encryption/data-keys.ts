import { StoreError } from "../errors.ts";
import type { KmsObserver } from "./kms-service.ts";

/** Lengths of AES keys in bytes. */
const KEY_BYTES: readonly number[] = [16, 24, 32];

/** A cache of decrypted data keys by their encrypted form. The least recently used ones are dropped. */
export class DataKeys {
  readonly #limit: number;
  readonly #service: string;
  readonly #observer: KmsObserver | undefined;
  readonly #keys = new Map<string, Buffer | Promise<Buffer>>();

  /**
   * @param service name of the service, for errors
   * @param limit number of keys; 0 or less disables the cache
   */
  constructor(service: string, limit: number, observer: KmsObserver | undefined) {
    this.#service = service;
    this.#limit = limit;
    this.#observer = observer;
  }

  /**
   * The data key with an id: from the cache, or else decrypted by `decrypt`. Concurrent readers share one call; a
   * failed call is not cached.
   *
   * @throws StoreError (rejects) `Unavailable`, also if the result is not a key
   */
  secret(id: string, decrypt: () => Promise<Buffer>): Buffer | Promise<Buffer> {
    const known = this.#keys.get(id);
    if (known !== undefined) {
      if (!(known instanceof Promise)) this.#renew(id, known);
      return known;
    }
    this.#observer?.keyMissed();
    const pending = decrypt().then(
      (secret) => {
        this.#keys.delete(id);
        if (!KEY_BYTES.includes(secret.length))
          throw new StoreError(
            "Unavailable",
            `key management service ${JSON.stringify(this.#service)} decrypted a data key to ${secret.length} bytes; want ${KEY_BYTES.join(", ")}`,
          );
        this.remember(id, secret);
        return secret;
      },
      (error: unknown) => {
        this.#keys.delete(id);
        throw error;
      },
    );
    this.#keys.set(id, pending);
    return pending;
  }

  /** Caches a data key that was just created or decrypted. */
  remember(id: string, secret: Buffer): void {
    if (this.#limit <= 0) return;
    this.#renew(id, secret);
    for (const oldest of this.#keys.keys()) {
      if (this.#keys.size <= this.#limit) break;
      this.#keys.delete(oldest);
    }
    this.#observer?.remembered(Math.min(1, this.#keys.size / this.#limit));
  }

  /** Drops a data key that turned out to be wrong: the service may return the right one the next time. */
  forget(id: string): void {
    this.#keys.delete(id);
  }

  #renew(id: string, secret: Buffer): void {
    this.#keys.delete(id);
    this.#keys.set(id, secret);
  }
}
