import { messageOf } from "@orchernetes/kernel";
import { isStoreError, StoreError } from "../errors.ts";
import type { Plain, Provider, ValueTransformer } from "./transformer.ts";

/** The start of every encrypted value. */
export const encryptedPrefix: Buffer = Buffer.from("o8s:enc:");

/**
 * The providers of a resource: the first one encrypts, and a value is decrypted by the provider whose prefix it has.
 * A value of another provider than the first one is stale. Keys are rotated by adding the new one first, rewriting
 * all objects, and removing the old one.
 */
export class ProviderChain implements ValueTransformer {
  readonly #providers: readonly Provider[];
  readonly #writer: Provider;

  /** @throws TypeError without a provider */
  constructor(providers: readonly Provider[]) {
    const [writer] = providers;
    if (writer === undefined) throw new TypeError("encryption needs a provider; identity leaves values as they are");
    this.#providers = providers;
    this.#writer = writer;
  }

  toStorage(value: Uint8Array, key: string): Uint8Array | Promise<Uint8Array> {
    const { prefix } = this.#writer;
    if (prefix.length === 0) return value;
    const sealed = this.#writer.seal(value, key);
    return sealed instanceof Promise
      ? sealed.then((bytes) => Buffer.concat([prefix, bytes]))
      : Buffer.concat([prefix, sealed]);
  }

  fromStorage(stored: Buffer, key: string): Plain | Promise<Plain> {
    const encrypted = startsWith(stored, encryptedPrefix);
    let failure: unknown;
    for (const provider of this.#providers) {
      if (!encrypted) {
        if (provider.prefix.length === 0) return { value: stored, stale: provider !== this.#writer };
        continue;
      }
      if (provider.prefix.length === 0 || !startsWith(stored, provider.prefix)) continue;
      const sealed = stored.subarray(provider.prefix.length);
      const stale = () => provider !== this.#writer || provider.stale?.(sealed) === true;
      try {
        const value = provider.open(sealed, key);
        if (!(value instanceof Promise)) return { value, stale: stale() };
        return value.then(
          (bytes) => ({ value: bytes, stale: stale() }),
          (error: unknown) => {
            throw unreadable(key, error);
          },
        );
      } catch (error) {
        // A later provider may have a key of the same name.
        failure = error;
      }
    }
    throw unreadable(key, failure, stored, encrypted);
  }
}

function unreadable(key: string, error: unknown, stored?: Buffer, encrypted?: boolean): StoreError {
  if (isStoreError(error)) return error;
  if (error !== undefined) {
    const why = messageOf(error);
    return new StoreError("Corrupt", `the value of ${JSON.stringify(key)} cannot be decrypted: ${why}`, {
      cause: error,
    });
  }
  if (encrypted !== true) {
    return new StoreError(
      "Corrupt",
      `the value of ${JSON.stringify(key)} is not encrypted, and the encryption configuration of its resource has no identity provider`,
    );
  }
  const head = stored?.toString("latin1", 0, 80).split(":").slice(0, 5).join(":") ?? "";
  return new StoreError(
    "Corrupt",
    `the value of ${JSON.stringify(key)} is encrypted as ${JSON.stringify(head)}, which no provider of the encryption configuration reads`,
  );
}

function startsWith(bytes: Buffer, prefix: Buffer): boolean {
  return bytes.length >= prefix.length && bytes.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;
}
