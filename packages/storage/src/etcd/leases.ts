import type { EtcdCallOptions, EtcdTransport } from "./transport.ts";

/** Largest number of keys of one lease: when it expires etcd deletes them all at once, which delays other requests. */
const MAX_KEYS = 1000;
/** Largest fraction of the keys' lifetime for which a lease is shared, so that no key lives noticeably too long. */
const MAX_SHARE = 0.05;

const RETRY: EtcdCallOptions = { retry: true };

/** A lease with its number of keys. */
interface Lease {
  readonly id: Promise<string>;
  readonly usableUntilMs: number;
  keys: number;
}

/**
 * Leases for keys with a time to live. Keys with the same lifetime that are written within `reuseSeconds` share a
 * lease, which lives that much longer. So a key lives at least its time to live, and at most `reuseSeconds` longer.
 */
export class Leases {
  readonly #transport: EtcdTransport;
  readonly #reuseSeconds: number;
  readonly #latest = new Map<number, Lease>();

  constructor(transport: EtcdTransport, reuseSeconds: number) {
    this.#transport = transport;
    this.#reuseSeconds = reuseSeconds;
  }

  /** The id of a lease for one more key. */
  async lease(ttlSeconds: number): Promise<string> {
    const known = this.#latest.get(ttlSeconds);
    if (known !== undefined && known.keys < MAX_KEYS && performance.now() < known.usableUntilMs) {
      known.keys++;
      return known.id;
    }
    const reuseSeconds = Math.min(this.#reuseSeconds, ttlSeconds * MAX_SHARE);
    const id = this.#grant(Math.ceil(ttlSeconds + reuseSeconds));
    const lease = { id, usableUntilMs: performance.now() + reuseSeconds * 1000, keys: 1 };
    this.#latest.set(ttlSeconds, lease);
    id.catch(() => {
      if (this.#latest.get(ttlSeconds) === lease) this.#latest.delete(ttlSeconds);
    });
    return id;
  }

  /** Forgets a lease that no longer exists in etcd. */
  forget(ttlSeconds: number): void {
    this.#latest.delete(ttlSeconds);
  }

  async #grant(ttlSeconds: number): Promise<string> {
    const { ID } = await this.#transport.lease.leaseGrant({ TTL: ttlSeconds }, RETRY);
    return ID;
  }
}
