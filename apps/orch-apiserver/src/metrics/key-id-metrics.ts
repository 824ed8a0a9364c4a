import { createHash } from "node:crypto";
import type { Gauge, Metrics } from "@orchernetes/component";
import type { KmsObserver } from "@orchernetes/storage";

/** Series that are kept of each metric: those that were used last. */
const MOST_SERIES = 100;

/** Metrics show the hash of a key id, because some services put confidential information into ids. */
const hashOf = (keyId: string): string =>
  keyId === "" ? "" : `sha256:${createHash("sha256").update(keyId).digest("hex")}`;

/** Which keys of key services are in use. */
export function keyIdMetrics(
  metrics: Metrics,
): (provider: string) => Pick<KmsObserver, "keyUsed" | "keyNamed" | "keyMisnamed"> {
  const labelNames = ["transformation_type", "provider_name", "key_id_hash"] as const;
  const used = metrics.gauge({
    name: "apiserver_envelope_encryption_key_id_hash_total",
    help: "Number of values encrypted or decrypted with a key of a key service, by the hash of its key ID.",
    labelNames,
    type: "counter",
  });
  const usedAt = metrics.gauge({
    name: "apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds",
    help: "Time in seconds since the epoch at which a key of a key service was last used.",
    labelNames,
  });
  const namedAt = metrics.gauge({
    name: "apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds",
    help: "Time in seconds since the epoch of the last status response of a key service with this key ID.",
    labelNames: ["provider_name", "key_id_hash"],
  });
  const misnamed = metrics.counter({
    name: "apiserver_envelope_encryption_invalid_key_id_from_status_total",
    help: "Number of status responses of a key service without a usable key ID.",
    labelNames: ["provider_name", "error"],
  });
  const uses = new RecentSeries([used, usedAt]);
  const names = new RecentSeries([namedAt]);
  return (provider) => ({
    keyUsed(direction, keyId) {
      const labels = uses.labels(keyId, [direction, provider]);
      used.inc(labels);
      usedAt.set(Date.now() / 1000, labels);
    },
    keyNamed: (keyId) => namedAt.set(Date.now() / 1000, names.labels(keyId, [provider])),
    keyMisnamed: (error) => misnamed.inc([provider, error]),
  });
}

/** The labels of series, whose number is limited: ids come from services. */
class RecentSeries {
  readonly #gauges: readonly Gauge[];
  readonly #labels = new Map<string, readonly string[]>();

  constructor(gauges: readonly Gauge[]) {
    this.#gauges = gauges;
  }

  labels(keyId: string, others: readonly string[]): readonly string[] {
    const id = `${others.join("/")}/${keyId}`;
    const labels = this.#labels.get(id) ?? [...others, hashOf(keyId)];
    // The order is that of use.
    this.#labels.delete(id);
    this.#labels.set(id, labels);
    const [oldest] = this.#labels;
    if (oldest !== undefined && this.#labels.size > MOST_SERIES) {
      this.#labels.delete(oldest[0]);
      for (const gauge of this.#gauges) gauge.remove(oldest[1]);
    }
    return labels;
  }
}
