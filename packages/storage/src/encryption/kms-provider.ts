import { randomBytes, randomUUID } from "node:crypto";
import { type Clock, type Logger, messageOf, silentLogger, systemClock, type Timer } from "@orchernetes/kernel";
import { StoreError } from "../errors.ts";
import { gcmOpen, gcmSeal } from "./ciphers.ts";
import { DataKeys } from "./data-keys.ts";
import { encryptedKeyProblem, keyIdProblem } from "./encrypted-key-problem.ts";
import { KmsClient } from "./kms-client.ts";
import {
  decodeEncryptedObject,
  type EncryptedKey,
  encodeEncryptedObject,
  type KmsStatus,
  kmsDecrypt,
  kmsEncrypt,
  kmsStatus,
} from "./kms-messages.ts";
import type { KmsObserver, KmsService } from "./kms-service.ts";

/** The options of a {@link KmsProvider}. */
export interface KmsProviderOptions {
  /** Name in the configuration, which is a part of the prefix of stored values. */
  readonly name: string;
  /** `unix:///path` */
  readonly endpoint: string;
  /** Time limit of a call in milliseconds. @default 3000 */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly observer?: KmsObserver;
}

/** The data key in use, in plain and encrypted form. */
interface DataKey extends EncryptedKey {
  readonly secret: Buffer;
  uses: number;
  /** Until when values are encrypted with it, in milliseconds of the monotonic clock. */
  expiresMs: number;
}

const VERSIONS = ["v2beta1", "v2"];
/** Values per data key. Random nonces of 96 bits are safe for 2^32 values (NIST SP 800-38D, section 8.3). */
const MAX_USES = 2 ** 24;
/** Number of cached data keys. One serves all values that a server writes under one key of the service. */
const MAX_KEYS = 1000;
/** Milliseconds between polls of the status, which detect a rotated key. */
const POLL_HEALTHY_MS = 60_000;
const POLL_UNHEALTHY_MS = 10_000;
/** For how long the last status is valid for checks, in milliseconds. */
const HEALTHY_MS = 20_000;
const UNHEALTHY_MS = 3000;
/**
 * For how long values are encrypted with a data key after the service last reported the key that encrypted it, in
 * milliseconds. It bridges a restart of the service.
 */
const WRITE_KEY_MS = 180_000;

/**
 * Encrypts values with data keys that a key management service encrypts (KMS v2, KEP-3299). A data key serves many
 * values, until the service changes its own key, so neither a write nor a read with a cached data key calls the
 * service. While the service is unavailable, writes continue for three minutes with the last data key, and reads with
 * the cached ones.
 */
export class KmsProvider implements KmsService {
  readonly prefix: Buffer;
  readonly #client: KmsClient;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #name: string;
  readonly #observer: KmsObserver | undefined;
  readonly #keys: DataKeys;
  /** The one that values are encrypted with; undefined before the service first responded. */
  #dataKey: DataKey | undefined;
  #refreshing: Promise<void> | undefined;
  #refreshedMs = Number.NEGATIVE_INFINITY;
  #failure: string | undefined = "it has not been called yet";
  #timer: Timer | undefined;
  #closed = false;

  constructor(options: KmsProviderOptions) {
    const { name, endpoint, timeoutMs = 3000, clock = systemClock, logger = silentLogger, observer } = options;
    this.#observer = observer;
    this.prefix = Buffer.from(`o8s:enc:kms:v2:${name}:`);
    this.#name = name;
    this.#client = new KmsClient({ name, endpoint, timeoutMs, observer });
    this.#keys = new DataKeys(name, MAX_KEYS, observer);
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Gets the status of the service, and polls it until {@link close}. Resolves after the first time; never rejects. */
  async start(): Promise<void> {
    await this.#poll();
  }

  /**
   * Gets the status of the service, unless the last one is less than 20 s old, or 3 s if the service could not be
   * used.
   *
   * @throws Error (rejects) if it cannot be used
   */
  async check(): Promise<void> {
    const validMs = this.#failure === undefined ? HEALTHY_MS : UNHEALTHY_MS;
    if (this.#clock.monotonicMs() - this.#refreshedMs >= validMs) await this.#refresh();
    if (this.#failure !== undefined) throw new Error(this.#notUsable(this.#failure));
  }

  close(): void {
    this.#closed = true;
    this.#timer?.clear();
    this.#client.close();
  }

  seal(value: Uint8Array, key: string): Uint8Array | Promise<Uint8Array> {
    const known = this.#usableKey();
    if (known !== undefined) return this.#sealWith(known, value, key);
    return this.#refresh().then(() => {
      const made = this.#usableKey();
      if (made === undefined)
        throw new StoreError("Unavailable", this.#notUsable(this.#failure ?? "there is no data key"));
      return this.#sealWith(made, value, key);
    });
  }

  open(sealed: Buffer, key: string): Buffer | Promise<Buffer> {
    const object = decodeEncryptedObject(sealed);
    this.#observer?.keyUsed("from_storage", object.keyId);
    const id = idOf(object);
    const opened = (secret: Buffer): Buffer => {
      try {
        return gcmOpen(secret, object.encryptedData, key);
      } catch (error) {
        // The service may have decrypted the data key to another one; it is called again for the next read.
        this.#keys.forget(id);
        throw error;
      }
    };
    const secret = this.#keys.secret(id, () => this.#client.call(kmsDecrypt, { ...object, uid: randomUUID() }));
    return secret instanceof Promise ? secret.then(opened) : opened(secret);
  }

  stale(sealed: Buffer): boolean {
    return this.#dataKey !== undefined && decodeEncryptedObject(sealed).keyId !== this.#dataKey.keyId;
  }

  #usableKey(): DataKey | undefined {
    const known = this.#dataKey;
    const usable = known !== undefined && known.uses < MAX_USES && this.#clock.monotonicMs() < known.expiresMs;
    return usable ? known : undefined;
  }

  #sealWith(dataKey: DataKey, value: Uint8Array, key: string): Buffer {
    dataKey.uses++;
    this.#observer?.keyUsed("to_storage", dataKey.keyId);
    return encodeEncryptedObject({ ...dataKey, encryptedData: gcmSeal(dataKey.secret, value, key) });
  }

  /**
   * Determines whether the service can be used, and with which key. Concurrent callers share one call; never rejects.
   */
  #refresh(): Promise<void> {
    this.#refreshing ??= this.#followStatus()
      .then(
        () => {
          this.#failure = undefined;
        },
        (error: unknown) => {
          const failure = messageOf(error);
          if (failure !== this.#failure && !this.#closed)
            this.#logger.warn("Key management service is not usable", { name: this.#name, err: failure });
          this.#failure = failure;
        },
      )
      .finally(() => {
        this.#refreshedMs = this.#clock.monotonicMs();
        this.#refreshing = undefined;
      });
    return this.#refreshing;
  }

  /** @throws Error with the reason why the service cannot be used */
  async #followStatus(): Promise<void> {
    // Taken before the calls, so that the limit counts from a time at which the key was certainly in use.
    const expiresMs = this.#clock.monotonicMs() + WRITE_KEY_MS;
    const status = await this.#client.call(kmsStatus, undefined);
    const problem = this.#problemOf(status);
    if (problem !== undefined) throw new Error(problem);
    const known = this.#dataKey;
    if (known !== undefined && known.keyId === status.keyId && known.uses < MAX_USES) known.expiresMs = expiresMs;
    else await this.#rotate(status.keyId, expiresMs);
  }

  #problemOf({ version, healthz, keyId }: KmsStatus): string | undefined {
    const wrongId = keyIdProblem(keyId);
    if (wrongId === undefined) this.#observer?.keyNamed(keyId);
    else this.#observer?.keyMisnamed(wrongId);
    if (!VERSIONS.includes(version))
      return `it has version ${JSON.stringify(version)}; want one of ${VERSIONS.join(", ")}`;
    if (healthz !== "ok") return `it reports that it is ${JSON.stringify(healthz)}`;
    if (wrongId === "empty") return "its status has no key id";
    return wrongId === undefined ? undefined : `the id of its key has ${Buffer.byteLength(keyId)} bytes`;
  }

  /**
   * Creates a data key for the current key of the service. On an error the former one stays in use.
   *
   * @throws Error
   */
  async #rotate(keyId: string, expiresMs: number): Promise<void> {
    const from = performance.now();
    let failed = true;
    try {
      const secret = randomBytes(32);
      const encrypted = await this.#client.call(kmsEncrypt, { plaintext: secret, uid: randomUUID() });
      const problem = encryptedKeyProblem(encrypted);
      if (problem !== undefined) throw new Error(problem);
      if (encrypted.keyId !== keyId)
        throw new Error(
          `it encrypted with key ${JSON.stringify(encrypted.keyId)}; its status reports ${JSON.stringify(keyId)}`,
        );
      this.#keys.remember(idOf(encrypted), secret);
      this.#dataKey = { ...encrypted, secret, uses: 0, expiresMs };
      failed = false;
    } finally {
      this.#observer?.keyMade((performance.now() - from) / 1000, failed);
    }
  }

  async #poll(): Promise<void> {
    await this.#refresh();
    if (this.#closed) return;
    const delay = this.#failure === undefined ? POLL_HEALTHY_MS : POLL_UNHEALTHY_MS;
    this.#timer = this.#clock.setTimeout(() => void this.#poll(), delay).unref();
  }

  #notUsable(failure: string): string {
    return `key management service ${JSON.stringify(this.#name)} is not usable: ${failure}`;
  }
}

const idOf = ({ keyId, encryptedDek }: EncryptedKey): string => `${keyId}/${encryptedDek.toString("base64")}`;
