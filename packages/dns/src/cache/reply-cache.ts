import type { Clock } from "@orchernetes/kernel";
import type { UpstreamReply } from "../wire/upstream-reply.ts";

/** What is known about a question: the answer, or that no upstream server gave one. */
export type Resolution = { readonly kind: "reply"; readonly reply: UpstreamReply } | { readonly kind: "failed" };

/** A resolution that was cached some time ago. */
export interface CachedResolution {
  readonly resolution: Resolution;
  /** Age in whole seconds, by which the TTLs of the answer are lower. */
  readonly ageSeconds: number;
}

interface Entry {
  readonly resolution: Resolution;
  readonly storedAtMs: number;
  readonly expiresAtMs: number;
  readonly bytes: number;
}

/** Limits of the cache. */
export interface ReplyCacheOptions {
  readonly clock: Clock;
  /** Largest sum of the entries' sizes. @default 8 MiB */
  readonly maxBytes?: number;
  /** @default 10,000 */
  readonly maxEntries?: number;
  /** Answers are cached for at most this time, in seconds. 0 switches the cache off. @default 30, as kubeadm's CoreDNS */
  readonly maxSeconds?: number;
}

/** Memory of an entry beside its message and its key: objects, and 56 bytes for each record. An estimate. */
const ENTRY_BYTES = 400;
const RECORD_BYTES = 56;

/** A failure is cached so that clients do not wait for dead servers again and again (RFC 9520), but only for a short time. */
const FAILURE_SECONDS = 5;

/** Answers of upstream servers. When it is full, the entry that was read longest ago is removed. */
export class ReplyCache {
  readonly #clock: Clock;
  readonly #maxBytes: number;
  readonly #maxEntries: number;
  readonly #maxSeconds: number;
  /** In the order of their last reads. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor({ clock, maxBytes = 8 * 1024 * 1024, maxEntries = 10_000, maxSeconds = 30 }: ReplyCacheOptions) {
    this.#clock = clock;
    this.#maxBytes = maxBytes;
    this.#maxEntries = maxEntries;
    this.#maxSeconds = maxSeconds;
  }

  get size(): { readonly entries: number; readonly bytes: number } {
    return { entries: this.#entries.size, bytes: this.#bytes };
  }

  /** Returns what is cached and has not expired. */
  get(key: string): CachedResolution | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs >= entry.expiresAtMs) {
      this.#delete(key, entry);
      return undefined;
    }
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return { resolution: entry.resolution, ageSeconds: Math.floor((nowMs - entry.storedAtMs) / 1000) };
  }

  /** Caches an answer as long as it says, or a failure. */
  set(key: string, resolution: Resolution): void {
    const allowed = resolution.kind === "reply" ? resolution.reply.cacheSeconds : FAILURE_SECONDS;
    const seconds = Math.min(allowed, this.#maxSeconds);
    const bytes = sizeOf(key, resolution);
    const former = this.#entries.get(key);
    if (former !== undefined) this.#delete(key, former);
    if (seconds <= 0 || bytes > this.#maxBytes || this.#maxEntries < 1) return;
    const nowMs = this.#clock.monotonicMs();
    this.#entries.set(key, { resolution, storedAtMs: nowMs, expiresAtMs: nowMs + seconds * 1000, bytes });
    this.#bytes += bytes;
    this.#removeOldest();
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  #removeOldest(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes && this.#entries.size <= this.#maxEntries) return;
      this.#delete(key, entry);
    }
  }

  #delete(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}

function sizeOf(key: string, resolution: Resolution): number {
  const own = ENTRY_BYTES + 2 * key.length;
  if (resolution.kind === "failed") return own;
  const { bytes, answers, authorities } = resolution.reply;
  return own + bytes.length + RECORD_BYTES * (answers.length + authorities.length);
}
