export { aesCbc, aesGcm, identity, type NamedKey, secretbox } from "./ciphers.ts";
export { encryptStore } from "./encrypting-store.ts";
export { type KmsObserver, KmsProvider, type KmsProviderOptions } from "./kms-provider.ts";
export { encryptedPrefix, ProviderChain } from "./provider-chain.ts";
export type { Plain, Provider, ValueTransformer } from "./transformer.ts";
