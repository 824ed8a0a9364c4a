import { randomBytes, randomUUID } from "node:crypto";
import { type Clock, type Logger, messageOf, silentLogger, systemClock, type Timer } from "@orchernetes/kernel";
import { StoreError } from "../errors.ts";
import { gcmOpen, gcmSeal } from "./ciphers.ts";
import { KmsClient } from "./kms-client.ts";
import {
  decodeEncryptedObject,
  type EncryptedKey,
  encodeEncryptedObject,
  type KmsRpc,
  kmsDecrypt,
  kmsEncrypt,
  kmsStatus,
} from "./kms-messages.ts";
import type { Provider } from "./transformer.ts";

/** The options of a {@link KmsProvider}. */
export interface KmsProviderOptions {
  readonly name: string;
  /** `unix:///path` */
  readonly endpoint: string;
  /** Milliseconds that a call may take. @default 3000 */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly observer?: KmsObserver;
}

/** Observes a {@link KmsProvider}, for metrics. Its methods must not throw. */
export interface KmsObserver {
  /** A call of the service (`Status`, `Encrypt`, `Decrypt`) has ended. `code`: a status of gRPC such as `OK`. */
  called(method: string, seconds: number, code: string): void;
  /** A data key was generated and encrypted, or that failed. */
  keyMade(seconds: number, failed: boolean): void;
  /** A data key was not in the cache. */
  keyMissed(): void;
  /** The fraction of the cache of data keys that is in use, from 0 to 1. */
  remembered(share: number): void;
}

interface DataKey extends EncryptedKey {
  readonly secret: Buffer;
  uses: number;
}

const VERSIONS = ["v2beta1", "v2"];
/** Values per data key. Random nonces of 96 bits are safe for 2^32 values (NIST SP 800-38D §8.3). */
const MAX_USES = 2 ** 24;
/** The largest number of cached data keys. One serves all values that a server writes under one key of the service. */
const MAX_KEYS = 1000;
const POLL_HEALTHY_MS = 60_000;
const POLL_UNHEALTHY_MS = 10_000;
const MAX_KEY_ID_BYTES = 1024;

/**
 * Encrypts values with data keys that a key management service encrypts (KMS v2). A data key serves many values, until the service
 * changes its own key. So neither a write nor a read with a cached data key calls the service.
 */
export class KmsProvider implements Provider {
  readonly prefix: Buffer;
  readonly #client: KmsClient;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #name: string;
  readonly #observer: KmsObserver | undefined;
  readonly #secrets = new Map<string, Buffer | Promise<Buffer>>();
  #dataKey: DataKey | undefined;
  #making: Promise<DataKey> | undefined;
  #keyId: string | undefined;
  #failure: string | undefined = "it was not asked yet";
  #timer: Timer | undefined;
  #closed = false;

  constructor(options: KmsProviderOptions) {
    const { name, endpoint, timeoutMs = 3000, clock = systemClock, logger = silentLogger } = options;
    this.#observer = options.observer;
    this.prefix = Buffer.from(`o8s:enc:kms:v2:${name}:`);
    this.#name = name;
    this.#client = new KmsClient(name, endpoint, timeoutMs);
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Gets the status of the service, then again and again until {@link close}. Resolves after the first time; never rejects. */
  async start(): Promise<void> {
    await this.#poll();
  }

  /** @throws Error if the service cannot be used */
  check(): void {
    if (this.#failure !== undefined)
      throw new Error(`key management service ${JSON.stringify(this.#name)} is not usable: ${this.#failure}`);
  }

  close(): void {
    this.#closed = true;
    this.#timer?.clear();
    this.#client.close();
  }

  seal(value: Uint8Array, key: string): Uint8Array | Promise<Uint8Array> {
    const known = this.#dataKey;
    if (known !== undefined && known.uses < MAX_USES && (this.#keyId === undefined || known.keyId === this.#keyId)) {
      return sealWith(known, value, key);
    }
    this.#making ??= this.#newDataKey().finally(() => {
      this.#making = undefined;
    });
    return this.#making.then((made) => sealWith(made, value, key));
  }

  open(sealed: Buffer, key: string): Buffer | Promise<Buffer> {
    const object = decodeEncryptedObject(sealed);
    const secret = this.#secretOf(object);
    return secret instanceof Promise
      ? secret.then((bytes) => gcmOpen(bytes, object.encryptedData, key))
      : gcmOpen(secret, object.encryptedData, key);
  }

  stale(sealed: Buffer): boolean {
    return this.#keyId !== undefined && decodeEncryptedObject(sealed).keyId !== this.#keyId;
  }

  #secretOf(object: EncryptedKey): Buffer | Promise<Buffer> {
    const id = `${object.keyId}/${object.encryptedDek.toString("base64")}`;
    const known = this.#secrets.get(id);
    if (known !== undefined) return known;
    this.#observer?.keyMissed();
    const asked = this.#call("Decrypt", kmsDecrypt, { ...object, uid: randomUUID() });
    // Concurrent readers share the call. The result of a failed one is not kept.
    const settled = asked.then(
      (secret) => {
        this.#remember(id, secret);
        return secret;
      },
      (error: unknown) => {
        this.#secrets.delete(id);
        throw error;
      },
    );
    this.#secrets.set(id, settled);
    return settled;
  }

  #remember(id: string, secret: Buffer): void {
    this.#secrets.delete(id);
    this.#secrets.set(id, secret);
    this.#observer?.remembered(Math.min(1, this.#secrets.size / MAX_KEYS));
    if (this.#secrets.size <= MAX_KEYS) return;
    for (const oldest of this.#secrets.keys()) {
      this.#secrets.delete(oldest);
      return;
    }
  }

  async #newDataKey(): Promise<DataKey> {
    const from = performance.now();
    let failed = true;
    try {
      const made = await this.#makeDataKey();
      failed = false;
      return made;
    } finally {
      this.#observer?.keyMade((performance.now() - from) / 1000, failed);
    }
  }

  /** Calls the service and reports the call to the observer. @throws StoreError `Unavailable` */
  async #call<Request, Response>(method: string, rpc: KmsRpc<Request, Response>, request: Request): Promise<Response> {
    const from = performance.now();
    let code = "Unknown";
    try {
      const answer = await this.#client.call(rpc, request);
      code = "OK";
      return answer;
    } finally {
      this.#observer?.called(method, (performance.now() - from) / 1000, code);
    }
  }

  async #makeDataKey(): Promise<DataKey> {
    const secret = randomBytes(32);
    const encrypted = await this.#call("Encrypt", kmsEncrypt, { plaintext: secret, uid: randomUUID() });
    const bytes = Buffer.byteLength(encrypted.keyId);
    if (bytes === 0 || bytes > MAX_KEY_ID_BYTES || encrypted.encryptedDek.length === 0) {
      throw new StoreError(
        "Unavailable",
        `key management service ${JSON.stringify(this.#name)} returned an encrypted key of ${encrypted.encryptedDek.length} bytes ` +
          `with a key id of ${bytes} bytes; want at least 1 byte each, and a key id of at most ${MAX_KEY_ID_BYTES}`,
      );
    }
    const made = { ...encrypted, secret, uses: 0 };
    this.#dataKey = made;
    this.#keyId = encrypted.keyId;
    this.#remember(`${encrypted.keyId}/${encrypted.encryptedDek.toString("base64")}`, secret);
    return made;
  }

  async #poll(): Promise<void> {
    const before = this.#failure;
    try {
      const { version, healthz, keyId } = await this.#call("Status", kmsStatus, undefined);
      if (!VERSIONS.includes(version)) {
        this.#failure = `it speaks version ${JSON.stringify(version)}; want one of ${VERSIONS.join(", ")}`;
      } else if (healthz !== "ok") {
        this.#failure = `it says that it is ${JSON.stringify(healthz)}`;
      } else if (keyId === "") {
        this.#failure = "it names no key";
      } else {
        this.#failure = undefined;
        this.#keyId = keyId;
      }
    } catch (error) {
      this.#failure = messageOf(error);
    }
    if (this.#closed) return;
    if (this.#failure !== undefined && this.#failure !== before)
      this.#logger.warn("Key management service is not usable", { name: this.#name, err: this.#failure });
    const delay = this.#failure === undefined ? POLL_HEALTHY_MS : POLL_UNHEALTHY_MS;
    this.#timer = this.#clock.setTimeout(() => void this.#poll(), delay).unref();
  }
}

function sealWith(dataKey: DataKey, value: Uint8Array, key: string): Buffer {
  dataKey.uses++;
  return encodeEncryptedObject({ ...dataKey, encryptedData: gcmSeal(dataKey.secret, value, key) });
}
