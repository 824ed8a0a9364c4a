import { readFileSync } from "node:fs";
import type { Check } from "@orchernetes/component";
import type { ProviderConfig } from "@orchernetes/config";
import { assertNever, type Logger } from "@orchernetes/kernel";
import {
  aesCbc,
  aesGcm,
  encryptStore,
  identity,
  type KmsObserver,
  KmsProvider,
  type Plain,
  type Provider,
  ProviderChain,
  type Store,
  secretbox,
  type ValueTransformer,
} from "@orchernetes/storage";
import type { GroupResource } from "./stores.ts";

/** What encryption at rest counts. */
export interface EncryptionMetrics {
  /** A view of a transformer that is measured. */
  transformer(of: ValueTransformer): ValueTransformer;
  /** Receives what the provider of a key service reports. */
  kms(provider: string): KmsObserver;
}

/** How {@link createEncryption} reads its configuration. */
export interface EncryptionOptions {
  readonly file: string;
  /** `--encryption-provider-config-automatic-reload` */
  readonly reload: boolean;
  /** How often the file is looked at. @default 60_000 */
  readonly pollMs?: number;
  /** Whether providers outside the server may be used. @default true */
  readonly kmsV2?: boolean;
  readonly logger: Logger;
  readonly metrics?: EncryptionMetrics;
  readonly signal: AbortSignal;
}

/** Encryption of values in the store. */
export interface Encryption {
  /** A view of the store that encrypts as configured; the store itself if nothing can ever be encrypted. */
  storeFor(resource: GroupResource, store: Store): Store;
  /** `kms-provider-<n>` each; one `kms-providers` for all where the file may change. */
  readonly checks: readonly Check[];
  /** Looks at the file now. Gives whether it was taken over. */
  refresh(): Promise<boolean>;
}

interface Loaded {
  readonly text: string;
  readonly entries: readonly {
    readonly includes: (resource: GroupResource) => boolean;
    readonly chain: ProviderChain;
  }[];
  readonly kms: readonly KmsProvider[];
}

const POLL_MS = 60_000;
/** Replaced key services live on for calls under way. */
const LINGER_MS = 10_000;

const plain = new ProviderChain([identity]);

/**
 * Reads the configuration, starts its key services, and watches the file if configured. A file that has become invalid, or whose
 * key services are not usable, is reported and left until it is good; what was loaded before stays.
 *
 * @throws EncryptionConfigError, or an Error when the file cannot be read
 */
export async function createEncryption(options: EncryptionOptions): Promise<Encryption> {
  const { file, reload, logger, metrics, signal, kmsV2 = true } = options;
  const load = (text: string) => loadProviders(text, file, { logger, metrics, kmsV2 });
  let loaded = await load(readFileSync(file, "utf8"));
  const refresh = async (): Promise<boolean> => {
    let next: Loaded | undefined;
    try {
      const text = readFileSync(file, "utf8");
      if (text === loaded.text) return false;
      next = await load(text);
      for (const provider of next.kms) provider.check();
    } catch (error) {
      for (const provider of next?.kms ?? []) provider.close();
      logger.error(
        error,
        "The encryption configuration has changed and cannot be used; the previous one stays in effect",
        {
          file,
        },
      );
      return false;
    }
    const old = loaded;
    loaded = next;
    setTimeout(() => closeAll(old), LINGER_MS).unref();
    logger.info("Reloaded the encryption configuration", { file });
    return true;
  };
  if (reload) {
    const timer = setInterval(() => void refresh(), options.pollMs ?? POLL_MS);
    timer.unref();
    signal.addEventListener("abort", () => clearInterval(timer), { once: true });
  }
  signal.addEventListener("abort", () => closeAll(loaded), { once: true });
  const chainOf = (resource: GroupResource): ProviderChain =>
    loaded.entries.find(({ includes }) => includes(resource))?.chain ?? plain;
  return {
    storeFor: (resource, store) => {
      if (!reload && chainOf(resource) === plain) return store;
      const current = new Current(() => chainOf(resource));
      return encryptStore(store, metrics?.transformer(current) ?? current);
    },
    checks: reload
      ? [
          {
            name: "kms-providers",
            check() {
              for (const provider of loaded.kms) provider.check();
            },
          },
        ]
      : loaded.kms.map((provider, i) => ({ name: `kms-provider-${i}`, check: () => provider.check() })),
    refresh,
  };
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

interface Observers {
  readonly logger: Logger;
  readonly metrics: EncryptionMetrics | undefined;
  readonly kmsV2: boolean;
}

async function loadProviders(text: string, file: string, observers: Observers): Promise<Loaded> {
  // Loaded for those who encrypt: the schemas cost start-up time.
  const { namesResource, parseEncryptionConfig } = await import("./encryption-config.ts");
  const kms: KmsProvider[] = [];
  const entries = parseEncryptionConfig(text, file, observers.kmsV2).map(({ resources, providers }) => ({
    includes: (resource: GroupResource) => resources.some((name) => namesResource(name, resource)),
    chain: new ProviderChain(providers.flatMap((config) => providersOf(config, kms, observers))),
  }));
  await Promise.all(kms.map((provider) => provider.start()));
  return { text, entries, kms };
}

function closeAll({ kms }: Loaded): void {
  for (const provider of kms) provider.close();
}

function providersOf(config: ProviderConfig, kms: KmsProvider[], { logger, metrics }: Observers): readonly Provider[] {
  switch (config.type) {
    case "identity":
      return [identity];
    case "aescbc":
      return config.keys.map(aesCbc);
    case "aesgcm":
      return config.keys.map(aesGcm);
    case "secretbox":
      return config.keys.map(secretbox);
    case "kms": {
      const { type: _, ...options } = config;
      const provider = new KmsProvider({
        ...options,
        ...(metrics === undefined ? {} : { observer: metrics.kms(config.name) }),
        logger,
      });
      kms.push(provider);
      return [provider];
    }
    default:
      return assertNever(config);
  }
}
