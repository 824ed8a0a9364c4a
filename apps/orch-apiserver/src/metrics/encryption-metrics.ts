import { exponentialBuckets, type Histogram, type Metrics } from "@orchernetes/component";
import type { KmsObserver, Plain } from "@orchernetes/storage";
import type { EncryptionMetrics } from "../storage/encryption.ts";
import { keyIdMetrics } from "./key-id-metrics.ts";
import { reloadMetrics } from "./reload-metrics.ts";

const colon = 0x3a;
/** Encrypted values start with four parts that end in colons, such as `o8s:enc:aescbc:v1:`; key services have a name too. */
const parts = 4;
const longest = 300;

/** What a stored value starts with: how it was encrypted; "" for plain text. */
function transformerPrefix(stored: Uint8Array): string {
  if (stored[0] !== 0x6f || stored[1] !== 0x38 || stored[2] !== 0x73 || stored[3] !== colon) return "";
  const kms = Buffer.from(stored.subarray(0, 12)).toString("latin1").startsWith("o8s:enc:kms:");
  let left = kms ? parts + 1 : parts;
  for (let i = 0; i < Math.min(stored.length, longest); i++) {
    if (stored[i] === colon && --left === 0) return Buffer.from(stored.subarray(0, i + 1)).toString();
  }
  return "";
}

/** The metrics of encryption at rest. */
export function encryptionMetrics(metrics: Metrics): EncryptionMetrics {
  const seconds = metrics.histogram({
    name: "apiserver_storage_transformation_duration_seconds",
    help: "Latency of encrypting or decrypting a value, in seconds.",
    labelNames: ["transformation_type", "transformer_prefix"],
    buckets: exponentialBuckets(5e-6, 2, 25),
  });
  const operations = metrics.counter({
    name: "apiserver_storage_transformation_operations_total",
    help: "Number of values encrypted or decrypted.",
    labelNames: ["transformation_type", "transformer_prefix", "status"],
  });
  const keys = metrics.histogram({
    name: "apiserver_storage_data_key_generation_duration_seconds",
    help: "Latency of generating a data key, in seconds.",
    buckets: exponentialBuckets(5e-6, 2, 14),
  });
  const keyFailures = metrics.counter({
    name: "apiserver_storage_data_key_generation_failures_total",
    help: "Number of data keys that could not be generated.",
  });
  const misses = metrics.counter({
    name: "apiserver_storage_envelope_transformation_cache_misses_total",
    help: "Number of data keys decrypted by the key service because they were not cached.",
  });
  const calls = metrics.histogram({
    name: "apiserver_envelope_encryption_kms_operations_latency_seconds",
    help: "Latency of calls to a key service in seconds.",
    labelNames: ["provider_name", "method_name", "grpc_status_code"],
    buckets: exponentialBuckets(0.0001, 2, 20),
  });
  const fill = metrics.gauge({
    name: "apiserver_envelope_encryption_dek_cache_fill_percent",
    help: "Percentage of the cache of data keys that is in use.",
  });
  const gaps = metrics.histogram({
    name: "apiserver_envelope_encryption_dek_cache_inter_arrival_time_seconds",
    help: "Time in seconds between two uses of a key service of version 1.",
    labelNames: ["transformation_type"],
    buckets: exponentialBuckets(60, 2, 10),
  });
  const keyIds = keyIdMetrics(metrics);
  const recorder = (type: string, prefix: string, from: number) => {
    const status = (code: string) => {
      seconds.observe((performance.now() - from) / 1000, [type, prefix]);
      operations.inc([type, prefix, code]);
    };
    return { done: () => status("OK"), failed: () => status("Unknown") };
  };
  const measure = <T>(work: () => T | Promise<T>, recordOf: (result: T | undefined) => ReturnType<typeof recorder>) => {
    const fail = (error: unknown): never => {
      recordOf(undefined).failed();
      throw error;
    };
    const pass = (result: T): T => {
      recordOf(result).done();
      return result;
    };
    let result: T | Promise<T>;
    try {
      result = work();
    } catch (error) {
      return fail(error);
    }
    return result instanceof Promise ? result.then(pass, fail) : pass(result);
  };
  return {
    transformer: (of) => ({
      fromStorage(stored, key): Plain | Promise<Plain> {
        const from = performance.now();
        return measure(
          () => of.fromStorage(stored, key),
          () => recorder("from_storage", transformerPrefix(stored), from),
        );
      },
      toStorage(value, key): Uint8Array | Promise<Uint8Array> {
        const from = performance.now();
        return measure(
          () => of.toStorage(value, key),
          (sealed) => recorder("to_storage", sealed === undefined ? "" : transformerPrefix(sealed), from),
        );
      },
    }),
    kms: (provider) => ({
      ...kmsObserver(provider, { calls, keys, keyFailures, misses, fill, gaps }),
      ...keyIds(provider),
    }),
    reloaded: reloadMetrics(metrics),
  };
}

function kmsObserver(
  provider: string,
  to: {
    readonly calls: Histogram;
    readonly keys: Histogram;
    readonly keyFailures: { inc(): void };
    readonly misses: { inc(): void };
    readonly fill: { set(value: number): void };
    readonly gaps: Histogram;
  },
): Omit<KmsObserver, "keyUsed" | "keyNamed" | "keyMisnamed"> {
  const arrivedMs = new Map<string, number>();
  return {
    arrived(direction) {
      const nowMs = performance.now();
      to.gaps.observe((nowMs - (arrivedMs.get(direction) ?? nowMs)) / 1000, [direction]);
      arrivedMs.set(direction, nowMs);
    },
    called: (method, seconds, code) => to.calls.observe(seconds, [provider, method, code]),
    keyMade(seconds, failed) {
      to.keys.observe(seconds);
      if (failed) to.keyFailures.inc();
    },
    keyMissed: () => to.misses.inc(),
    remembered: (share) => to.fill.set(share * 100),
  };
}
