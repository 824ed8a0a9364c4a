import { readFile } from "node:fs/promises";
import type { Check } from "@orchernetes/component";
import { type Logger, messageOf } from "@orchernetes/kernel";
import {
  encryptStore,
  identity,
  type KmsObserver,
  type Plain,
  ProviderChain,
  type Store,
  type ValueTransformer,
} from "@orchernetes/storage";
import { fileFingerprint, watchFiles } from "@orchernetes/tls";
import {
  checkKeyServices,
  closeProviders,
  hashOf,
  type LoadedProviders,
  loadProviders,
  type ProviderOptions,
} from "./load-providers.ts";
import type { GroupResource } from "./stores.ts";

/** What encryption at rest counts. */
export interface EncryptionMetrics {
  /** A view of a transformer that is measured. */
  transformer(of: ValueTransformer): ValueTransformer;
  /** Receives what the provider of a key service reports. */
  kms(provider: string): KmsObserver;
  /** A changed file was taken over, or could not be. */
  reloaded(outcome: "success" | "failure"): void;
}

/** How {@link createEncryption} reads its configuration. */
export interface EncryptionOptions {
  readonly file: string;
  /** `--encryption-provider-config-automatic-reload` */
  readonly reload: boolean;
  /** How often the file is looked at. @default 2000 */
  readonly pollMs?: number;
  /** Whether providers of version 2 outside the server may be used. @default true */
  readonly kmsV2?: boolean;
  readonly logger: Logger;
  readonly metrics?: EncryptionMetrics;
  readonly signal: AbortSignal;
}

/** Encryption of values in the store. */
export interface Encryption {
  /** A view of the store that encrypts as configured; the store itself if nothing can ever be encrypted. */
  storeFor(resource: GroupResource, store: Store): Store;
  /** `kms-provider-<n>` each; one `kms-providers` for all where the file may change, or all speak version 2. */
  readonly checks: readonly Check[];
  /** Looks at the file now. Gives whether it was taken over. */
  refresh(): Promise<boolean>;
}

const POLL_MS = 2000;

const plain = new ProviderChain([identity]);

/**
 * Reads the configuration, starts its key services, and watches the file if configured. A file that has become invalid, or whose
 * key services are not usable, is reported and tried again until it is good; what was loaded before stays.
 *
 * @throws EncryptionConfigError, or an Error when the file cannot be read
 */
export async function createEncryption(options: EncryptionOptions): Promise<Encryption> {
  const { file, reload, metrics, signal, logger, kmsV2 = true, pollMs = POLL_MS } = options;
  const providers = { logger, kmsObserver: metrics && ((name: string) => metrics.kms(name)), kmsV2, reload };
  // Taken before the file is read, so that a change after that is seen.
  const since = await fileFingerprint([file]);
  const encryption = new FileEncryption(
    options,
    providers,
    await loadProviders(await readFile(file, "utf8"), file, providers),
  );
  signal.addEventListener("abort", () => encryption.close(), { once: true });
  // What goes wrong is reported when it happens; the file is looked at again after an error.
  const onChange = async () => void (await encryption.reload());
  if (reload) watchFiles({ files: [file], since, intervalMs: pollMs, signal, onChange, onError: () => undefined });
  return encryption;
}

/** What the flags ask for; undefined if nothing is encrypted. @throws like {@link createEncryption} */
export async function openEncryption(
  flags: {
    readonly "encryption-provider-config": string;
    readonly "encryption-provider-config-automatic-reload": boolean;
  },
  observers: Pick<EncryptionOptions, "logger" | "metrics" | "kmsV2">,
  signal: AbortSignal,
): Promise<Encryption | undefined> {
  const file = flags["encryption-provider-config"];
  if (file === "") return undefined;
  const reload = flags["encryption-provider-config-automatic-reload"];
  return createEncryption({ file, reload, ...observers, signal });
}

class FileEncryption implements Encryption {
  readonly checks: readonly Check[];
  readonly #options: EncryptionOptions;
  readonly #providers: ProviderOptions;
  #loaded: LoadedProviders;
  /** What was last reported: the file is tried again and again. */
  #reported: string | undefined;

  constructor(options: EncryptionOptions, providers: ProviderOptions, loaded: LoadedProviders) {
    this.#options = options;
    this.#providers = providers;
    this.#loaded = loaded;
    const together = options.reload || loaded.onlyKmsV2;
    this.checks = together
      ? [{ name: "kms-providers", check: () => checkKeyServices(this.#loaded) }]
      : loaded.kms.map((service, i) => ({ name: `kms-provider-${i}`, check: () => service.check() }));
  }

  storeFor(resource: GroupResource, store: Store): Store {
    const { reload, metrics } = this.#options;
    if (!reload && this.#chainOf(resource) === plain) return store;
    const current = new Current(() => this.#chainOf(resource));
    return encryptStore(store, metrics?.transformer(current) ?? current);
  }

  async refresh(): Promise<boolean> {
    try {
      return await this.reload();
    } catch {
      return false;
    }
  }

  /** Gives whether the file has changed and was taken over. @throws Error when it has changed and cannot be used; it was reported */
  async reload(): Promise<boolean> {
    const { file, logger, metrics } = this.#options;
    let next: LoadedProviders | undefined;
    try {
      const text = await readFile(file, "utf8");
      if (hashOf(text) === this.#loaded.hash) {
        this.#reported = undefined;
        return false;
      }
      next = await loadProviders(text, file, this.#providers);
      await checkKeyServices(next);
    } catch (error) {
      if (next !== undefined) closeProviders(next);
      metrics?.reloaded("failure");
      this.#report(error);
      throw error;
    }
    const former = this.#loaded;
    this.#loaded = next;
    this.#reported = undefined;
    setTimeout(() => closeProviders(former), former.lingerMs).unref();
    metrics?.reloaded("success");
    logger.info("Reloaded the encryption configuration", { file });
    return true;
  }

  close(): void {
    closeProviders(this.#loaded);
  }

  #chainOf(resource: GroupResource): ProviderChain {
    return this.#loaded.entries.find(({ includes }) => includes(resource))?.chain ?? plain;
  }

  #report(error: unknown): void {
    const { file, logger } = this.#options;
    if (messageOf(error) === this.#reported) return;
    this.#reported = messageOf(error);
    logger.error(
      error,
      "The encryption configuration has changed and cannot be used; the previous one stays in effect",
      { file },
    );
  }
}

/** The current configuration. */
class Current implements ValueTransformer {
  readonly #chain: () => ProviderChain;

  constructor(chain: () => ProviderChain) {
    this.#chain = chain;
  }

  fromStorage(stored: Buffer, key: string): Plain | Promise<Plain> {
    return this.#chain().fromStorage(stored, key);
  }

  toStorage(value: Uint8Array, key: string): Uint8Array | Promise<Uint8Array> {
    return this.#chain().toStorage(value, key);
  }
}
