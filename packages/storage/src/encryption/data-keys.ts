import { StoreError } from "../errors.ts";
import type { KmsObserver } from "./kms-service.ts";

/** Lengths of AES keys. */
const KEY_BYTES: readonly number[] = [16, 24, 32];

/** Decrypted data keys by their encrypted form; the ones that were not used for the longest time are dropped. */
export class DataKeys {
  readonly #limit: number;
  readonly #service: string;
  readonly #observer: KmsObserver | undefined;
  readonly #keys = new Map<string, Buffer | Promise<Buffer>>();

  /**
   * @param service its name, for errors
   * @param limit 0 or less: none is kept
   */
  constructor(service: string, limit: number, observer: KmsObserver | undefined) {
    this.#service = service;
    this.#limit = limit;
    this.#observer = observer;
  }

  /**
   * The data key that is known by an id, or else what `ask` decrypts. Concurrent readers share one call; that of a failed one is not kept.
   *
   * @throws StoreError (rejects) `Unavailable`, also for what is no key
   */
  secret(id: string, ask: () => Promise<Buffer>): Buffer | Promise<Buffer> {
    const known = this.#keys.get(id);
    if (known !== undefined) {
      if (!(known instanceof Promise)) this.#renew(id, known);
      return known;
    }
    this.#observer?.keyMissed();
    const asked = ask().then(
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
    this.#keys.set(id, asked);
    return asked;
  }

  /** Keeps a data key that was just made. */
  remember(id: string, secret: Buffer): void {
    if (this.#limit <= 0) return;
    this.#renew(id, secret);
    for (const oldest of this.#keys.keys()) {
      if (this.#keys.size <= this.#limit) break;
      this.#keys.delete(oldest);
    }
    this.#observer?.remembered(Math.min(1, this.#keys.size / this.#limit));
  }

  /** Drops a data key that turned out to be wrong: the service may give the right one the next time. */
  forget(id: string): void {
    this.#keys.delete(id);
  }

  #renew(id: string, secret: Buffer): void {
    this.#keys.delete(id);
    this.#keys.set(id, secret);
  }
}
