import type { Provider } from "./transformer.ts";

/** A provider whose key is in a key management service. */
export interface KmsService extends Provider {
  /** Calls the service for the first time. Resolves also if it cannot be used, so that a server starts without it. */
  start(): Promise<void>;
  /**
   * Checks whether the service can be used, for health checks. Recent results are reused.
   *
   * @throws Error (rejects) if it cannot be used
   */
  check(): Promise<void>;
  /** Closes the connection and ends polling. */
  close(): void;
}

/** Observes a provider of a key service, for metrics. Its methods must not throw. */
export interface KmsObserver {
  /** A call of the service (`Status`, `Encrypt`, `Decrypt`, `Version`) has ended. `code`: a status of gRPC such as `OK`. */
  called(method: string, seconds: number, code: string): void;
  /** A data key was generated and encrypted, or that failed. */
  keyMade(seconds: number, failed: boolean): void;
  /** A data key was not in the cache. */
  keyMissed(): void;
  /** The fraction of the cache of data keys that is in use, from 0 to 1. */
  remembered(share: number): void;
  /** A value was to be encrypted or decrypted. Called by providers of version 1 only. */
  arrived(direction: "from_storage" | "to_storage"): void;
  /** A value was encrypted or decrypted by a data key under this key of the service. Called by providers of version 2 only. */
  keyUsed(direction: "from_storage" | "to_storage", keyId: string): void;
  /** The service named the key that it uses. */
  keyNamed(keyId: string): void;
  /** The service named a key by an id that cannot be used. */
  keyMisnamed(error: "empty" | "too_long"): void;
}
