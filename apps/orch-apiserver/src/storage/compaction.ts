import type { Logger } from "@orchernetes/kernel";
import type { Revision, Store } from "@orchernetes/storage";

/** The key that the servers of one etcd take turns by; the original's, outside of every prefix. */
const compactionKey = "compact_rev_key";

/**
 * Compaction of a store that several servers share. Each server tries once per interval; the first one to write
 * {@link compactionKey} over the version that it saw the time before compacts, up to the revision that was current then. So
 * history is compacted once per interval, and always keeps at least that long, however many servers there are.
 */
export class SharedCompaction {
  readonly #store: Store;
  /** The version of the key as last seen; 0: there is none. */
  #seen: Revision | 0 = 0;
  #before: Revision | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** One turn. Gives the revision it compacted to, or undefined if another server was first or there is nothing yet. */
  async turn(): Promise<Revision | undefined> {
    const upTo = this.#before;
    const result = await this.#store.commit(
      [{ key: compactionKey, modRevision: this.#seen }],
      [{ type: "put", key: compactionKey, value: Buffer.from(String(upTo ?? 0)) }],
    );
    this.#before = result.revision;
    if (result.type === "conflict") {
      this.#seen = result.current[0]?.modRevision ?? 0;
      return undefined;
    }
    this.#seen = result.revision;
    if (upTo === undefined) return undefined;
    await this.#store.compact(upTo);
    return upTo;
  }
}

/** Compaction of a store that this process has for itself: up to what was current a turn ago. */
export class OwnCompaction {
  readonly #store: Store;
  #before: Revision | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** One turn. Gives the revision it compacted to; undefined at the first. */
  async turn(): Promise<Revision | undefined> {
    const upTo = this.#before;
    this.#before = await this.#store.revision();
    if (upTo !== undefined) await this.#store.compact(upTo);
    return upTo;
  }
}

/** When {@link compactPeriodically} compacts. */
export interface CompactionOptions {
  /** 0: never. */
  readonly intervalMs: number;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Takes a turn now and after each interval, so that watches and continued lists have at least one interval of history. */
export function compactPeriodically(
  compaction: { turn(): Promise<Revision | undefined> },
  { intervalMs, logger, signal }: CompactionOptions,
): void {
  if (intervalMs <= 0 || signal.aborted) return;
  let running = false;
  const compact = async () => {
    if (running) return;
    running = true;
    try {
      const revision = await compaction.turn();
      if (revision !== undefined) logger.v(4)?.info("Compacted the history of the store", { revision });
    } catch (error) {
      if (!signal.aborted) logger.error(error, "Compaction of the store failed; it will be retried", { intervalMs });
    } finally {
      running = false;
    }
  };
  void compact();
  const timer = setInterval(() => void compact(), intervalMs);
  timer.unref();
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}
