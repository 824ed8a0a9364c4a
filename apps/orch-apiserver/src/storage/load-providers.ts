import { createHash } from "node:crypto";
import type { ProviderConfig } from "@orchernetes/config";
import { assertNever, type Logger, messageOf } from "@orchernetes/kernel";
import {
  aesCbc,
  aesGcm,
  identity,
  type KmsObserver,
  KmsProvider,
  type KmsService,
  KmsV1Provider,
  type Provider,
  ProviderChain,
  secretbox,
} from "@orchernetes/storage";
import type { GroupResource } from "./stores.ts";

/** What the providers of a configuration need. */
export interface ProviderOptions {
  readonly logger: Logger;
  /** Receives what the provider of a key service reports. */
  readonly kmsObserver?: ((provider: string) => KmsObserver) | undefined;
  /** Whether providers of version 2 outside the server may be used. */
  readonly kmsV2: boolean;
  /** Whether the file is followed. */
  readonly reload: boolean;
}

/** A configuration in use. Neither the text nor the secrets of its file are kept. */
export interface LoadedProviders {
  /** Of the text of the file. */
  readonly hash: string;
  readonly entries: readonly {
    readonly includes: (resource: GroupResource) => boolean;
    readonly chain: ProviderChain;
  }[];
  /** In the order of the file. */
  readonly kms: readonly KmsService[];
  /** Whether there are key services, and all speak version 2. */
  readonly onlyKmsV2: boolean;
  /** How long calls of its key services may take when it has been replaced, in milliseconds. */
  readonly lingerMs: number;
}

/** Replaced key services live on for calls under way, at least this long. */
const MIN_LINGER_MS = 10_000;

/** The hash of a file's text. */
export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * Reads a configuration, and asks its key services for the first time.
 *
 * @throws EncryptionConfigError
 */
export async function loadProviders(text: string, file: string, options: ProviderOptions): Promise<LoadedProviders> {
  // Loaded for those who encrypt: the schemas cost start-up time.
  const { namesResource, parseEncryptionConfig } = await import("./encryption-config.ts");
  const document = parseEncryptionConfig(text, file, options);
  const kms: KmsService[] = [];
  const entries = document.map(({ resources, providers }) => ({
    includes: (resource: GroupResource) => resources.some((name) => namesResource(name, resource)),
    chain: new ProviderChain(providers.flatMap((config) => providersOf(config, kms, options))),
  }));
  await Promise.all(kms.map((service) => service.start()));
  const services = document.flatMap(({ providers }) => providers).filter((config) => config.type === "kms");
  // A check of version 1 makes two calls.
  const callsMs = services.reduce(
    (sum, { apiVersion, timeoutMs }) => sum + timeoutMs * (apiVersion === "v1" ? 2 : 1),
    0,
  );
  return {
    hash: hashOf(text),
    entries,
    kms,
    onlyKmsV2: services.length > 0 && services.every(({ apiVersion }) => apiVersion === "v2"),
    lingerMs: Math.max(MIN_LINGER_MS, 2 * callsMs),
  };
}

/** Ends the key services of a configuration. */
export function closeProviders({ kms }: LoadedProviders): void {
  for (const service of kms) service.close();
}

/** @throws Error (rejects) with what is wrong with each key service */
export async function checkKeyServices({ kms }: LoadedProviders): Promise<void> {
  const failures: string[] = [];
  for (const [index, service] of kms.entries())
    try {
      await service.check();
    } catch (error) {
      failures.push(`kms-provider-${index}: ${messageOf(error)}`);
    }
  if (failures.length > 0) throw new Error(failures.join("; "));
}

function providersOf(config: ProviderConfig, kms: KmsService[], options: ProviderOptions): readonly Provider[] {
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
      const { type: _, apiVersion, ...settings } = config;
      const observer = options.kmsObserver?.(config.name);
      const parts = { ...settings, ...(observer === undefined ? {} : { observer }), logger: options.logger };
      const service = apiVersion === "v1" ? new KmsV1Provider(parts) : new KmsProvider(parts);
      kms.push(service);
      return [service];
    }
    default:
      return assertNever(config);
  }
}
