import { randomBytes } from "node:crypto";
import { type Clock, type Logger, messageOf, silentLogger, systemClock } from "@orchernetes/kernel";
import { StoreError } from "../errors.ts";
import { gcmOpen, gcmSeal } from "./ciphers.ts";
import { DataKeys } from "./data-keys.ts";
import { KmsClient } from "./kms-client.ts";
import type { KmsObserver, KmsService } from "./kms-service.ts";
import { kmsV1ApiVersion, kmsV1Decrypt, kmsV1Encrypt, kmsV1Version } from "./kms-v1-messages.ts";

/** The options of a {@link KmsV1Provider}. */
export interface KmsV1ProviderOptions {
  readonly name: string;
  /** `unix:///path` */
  readonly endpoint: string;
  /** Time limit of a call in milliseconds. @default 3000 */
  readonly timeoutMs?: number;
  /** Number of cached data keys; a negative number disables the cache. @default 1000 */
  readonly cacheSize?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly observer?: KmsObserver;
}

/** Bytes of the length before the encrypted data key. */
const LENGTH_BYTES = 2;
/** The longest encrypted data key: its length is stored in two bytes. */
const MAX_KEY_BYTES = 2 ** 16 - 1;
/** For how long the result of a check is reused, in milliseconds. */
const HEALTHY_MS = 20_000;
const UNHEALTHY_MS = 3000;
const PING = Buffer.from("ping");

/**
 * Encrypts each value with its own data key, which a key management service encrypts (KMS v1). So each write calls
 * the service, and so does each read of a value whose data key is not in the cache. The service does not report which
 * key it uses, so a rotation does not make values stale.
 */
export class KmsV1Provider implements KmsService {
  readonly prefix: Buffer;
  readonly #client: KmsClient;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #name: string;
  readonly #observer: KmsObserver | undefined;
  readonly #keys: DataKeys;
  #versionChecked = false;
  #checking: Promise<void> | undefined;
  #checked: { readonly untilMs: number; readonly failure: Error | undefined } | undefined;

  constructor(options: KmsV1ProviderOptions) {
    const { name, endpoint, timeoutMs = 3000, cacheSize = 1000, observer } = options;
    this.prefix = Buffer.from(`o8s:enc:kms:v1:${name}:`);
    this.#name = name;
    this.#observer = observer;
    this.#client = new KmsClient({ name, endpoint, timeoutMs, observer });
    this.#keys = new DataKeys(name, cacheSize, observer);
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
  }

  async start(): Promise<void> {
    try {
      await this.check();
    } catch (error) {
      this.#logger.warn("Key management service is not usable", { name: this.#name, err: messageOf(error) });
    }
  }

  /**
   * Encrypts and decrypts a text with the service. The result is reused for 20 s, a failure for 3 s.
   *
   * @throws Error (rejects) if that fails
   */
  async check(): Promise<void> {
    const { untilMs, failure } = this.#checked ?? { untilMs: Number.NEGATIVE_INFINITY, failure: undefined };
    if (this.#clock.monotonicMs() < untilMs) {
      if (failure !== undefined) throw failure;
      return;
    }
    this.#checking ??= this.#probe().finally(() => {
      this.#checking = undefined;
    });
    await this.#checking;
  }

  close(): void {
    this.#client.close();
  }

  async seal(value: Uint8Array, key: string): Promise<Buffer> {
    this.#observer?.arrived("to_storage");
    const secret = randomBytes(32);
    const encrypted = await this.#newKey(secret);
    this.#keys.remember(encrypted.toString("base64"), secret);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt16BE(encrypted.length);
    return Buffer.concat([length, encrypted, gcmSeal(secret, value, key)]);
  }

  open(sealed: Buffer, key: string): Buffer | Promise<Buffer> {
    this.#observer?.arrived("from_storage");
    const end = sealed.length < LENGTH_BYTES ? 0 : LENGTH_BYTES + sealed.readUInt16BE(0);
    if (end <= LENGTH_BYTES || end > sealed.length) throw new Error("the encrypted data key is cut off");
    const encrypted = sealed.subarray(LENGTH_BYTES, end);
    const id = encrypted.toString("base64");
    const opened = (secret: Buffer): Buffer => {
      try {
        return gcmOpen(secret, sealed.subarray(end), key);
      } catch (error) {
        this.#keys.forget(id);
        throw error;
      }
    };
    const secret = this.#keys.secret(id, () => this.#decrypt(encrypted));
    return secret instanceof Promise ? secret.then(opened) : opened(secret);
  }

  async #newKey(secret: Buffer): Promise<Buffer> {
    const from = performance.now();
    let failed = true;
    try {
      const encrypted = await this.#encrypt(secret);
      failed = false;
      return encrypted;
    } finally {
      this.#observer?.keyMade((performance.now() - from) / 1000, failed);
    }
  }

  /** @throws StoreError `Unavailable` */
  async #encrypt(plain: Buffer): Promise<Buffer> {
    await this.#checkVersion();
    const encrypted = await this.#client.call(kmsV1Encrypt, plain);
    if (encrypted.length === 0 || encrypted.length > MAX_KEY_BYTES)
      throw this.#unusable(`encrypted a data key to ${encrypted.length} bytes; want 1 to ${MAX_KEY_BYTES}`);
    return encrypted;
  }

  /** @throws StoreError `Unavailable` */
  async #decrypt(encrypted: Buffer): Promise<Buffer> {
    await this.#checkVersion();
    return this.#client.call(kmsV1Decrypt, encrypted);
  }

  async #checkVersion(): Promise<void> {
    if (this.#versionChecked) return;
    const version = await this.#client.call(kmsV1Version, undefined);
    if (version !== kmsV1ApiVersion)
      throw this.#unusable(`has version ${JSON.stringify(version)}; want ${kmsV1ApiVersion}`);
    this.#versionChecked = true;
  }

  async #probe(): Promise<void> {
    const failure = await this.#failureOf();
    this.#checked = { untilMs: this.#clock.monotonicMs() + (failure ? UNHEALTHY_MS : HEALTHY_MS), failure };
    if (failure !== undefined) throw failure;
  }

  async #failureOf(): Promise<Error | undefined> {
    const about = (section: string, cause: unknown) =>
      new Error(
        `failed to perform ${section} section of the healthz check for KMS Provider ${this.#name}, error: ${messageOf(cause)}`,
        {
          cause,
        },
      );
    let encrypted: Buffer;
    try {
      encrypted = await this.#encrypt(PING);
    } catch (error) {
      return about("encrypt", error);
    }
    try {
      const decrypted = await this.#decrypt(encrypted);
      if (!decrypted.equals(PING)) throw new Error("the decrypted text differs from the encrypted one");
      return undefined;
    } catch (error) {
      return about("decrypt", error);
    }
  }

  #unusable(what: string): StoreError {
    return new StoreError("Unavailable", `key management service ${JSON.stringify(this.#name)} ${what}`);
  }
}
