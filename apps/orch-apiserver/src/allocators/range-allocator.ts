import { randomInt } from "node:crypto";
import { serviceUnavailable } from "@orchernetes/apimachinery";
import type { Revision, Store, Versioned } from "@orchernetes/storage";
import { AllocationBitmap } from "./allocation-bitmap.ts";

/** The allocations of a range at one revision of the store. */
export interface RangeSnapshot {
  readonly taken: AllocationBitmap;
  /** 0 if nothing is stored yet. */
  readonly revision: Revision | 0;
  /** Whether it was stored for the configured range; if not, `taken` is empty. */
  readonly current: boolean;
}

/** Result of {@link RangeAllocator.allocateAll}: the offsets in the order of the requests, or the index of the request that failed. */
export type Taken =
  | { readonly type: "taken"; readonly offsets: readonly number[] }
  | { readonly type: "refused"; readonly index: number };

/** Number of random attempts before a linear search. */
const RANDOM_TRIES = 16;

/** One request of a caller. `apply` changes the bitmap and records the result; it may run again on newer state. */
interface Operation {
  readonly apply: (taken: AllocationBitmap) => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Allocates the offsets of one range. Allocations are stored in one RangeAllocation that is changed by compare-and-swap, so that
 * any number of servers can share the range. Requests that arrive while a commit is in flight are batched into the next one: many
 * concurrent callers cost one commit, not one each.
 */
export class RangeAllocator {
  readonly size: number;
  readonly #store: Store;
  readonly #key: string;
  readonly #range: string;
  readonly #dynamicFrom: number;
  readonly #onMissing: () => void;
  #known: RangeSnapshot | undefined;
  #queue: Operation[] = [];
  #running = false;

  constructor(options: {
    readonly store: Store;
    readonly key: string;
    /** The range as text; allocations stored for a different range are ignored. */
    readonly range: string;
    readonly size: number;
    /** Number of offsets at the start that are allocated dynamically only when the others are used up. */
    readonly staticSize: number;
    /** Called when the store has no allocations for the range and they must be rebuilt. */
    readonly onMissing?: () => void;
  }) {
    this.size = options.size;
    this.#store = options.store;
    this.#key = options.key;
    this.#range = options.range;
    this.#dynamicFrom = options.staticSize;
    this.#onMissing = options.onMissing ?? (() => undefined);
  }

  /** Number of allocated offsets, as last seen by this server. */
  get count(): number {
    return this.#known?.taken.count ?? 0;
  }

  /** Allocates the offset; false if it is allocated already. A dry run changes nothing. */
  async allocate(offset: number, dryRun: boolean): Promise<boolean> {
    let granted = false;
    await this.#run((taken) => {
      granted = dryRun ? !taken.has(offset) : taken.add(offset);
    });
    return granted;
  }

  /** Allocates a random free offset, so that a released one is not reused at once; undefined if none is left. */
  async allocateNext(dryRun: boolean): Promise<number | undefined> {
    const result = await this.allocateAll([undefined], dryRun);
    return result.type === "taken" ? result.offsets[0] : undefined;
  }

  /**
   * Allocates several offsets, all or none: the given ones, and random free ones for the undefined ones. One commit regardless of
   * their number, so that a request for thousands does not delay others.
   */
  async allocateAll(wanted: readonly (number | undefined)[], dryRun: boolean): Promise<Taken> {
    let result: Taken = { type: "refused", index: 0 };
    await this.#run((taken) => {
      result = this.#takeAll(taken, wanted, dryRun);
    });
    return result;
  }

  /** Releases offsets. */
  release(offsets: readonly number[]): Promise<void> {
    return this.#run((taken) => {
      for (const offset of offsets) taken.delete(offset);
    });
  }

  /** Reads the current state from the store. */
  async snapshot(): Promise<RangeSnapshot> {
    return this.#decode(await this.#store.get(this.#key));
  }

  /** Accepts the snapshot as the current state without writing. Always true, like a {@link replace} that succeeds. */
  confirm(snapshot: RangeSnapshot): true {
    this.#learn(snapshot);
    return true;
  }

  /** Replaces the stored allocations; false if they have changed since the snapshot was read. */
  async replace(snapshot: RangeSnapshot, taken: AllocationBitmap): Promise<boolean> {
    const stored = await this.#commit(snapshot, taken);
    this.#learn(stored);
    return stored.taken === taken;
  }

  #takeAll(taken: AllocationBitmap, wanted: readonly (number | undefined)[], dryRun: boolean): Taken {
    const granted: number[] = [];
    const offsets: number[] = [];
    const undo = () => {
      for (const offset of granted) taken.delete(offset);
    };
    const take = (index: number, offset: number | undefined): boolean => {
      if (offset === undefined || !taken.add(offset)) return false;
      granted.push(offset);
      offsets[index] = offset;
      return true;
    };
    // The given offsets come first, so that none of them is used for an undefined one.
    const entries = [...wanted.entries()];
    const named = entries.filter(([, offset]) => offset !== undefined);
    const free = entries.filter(([, offset]) => offset === undefined);
    for (const [index, offset] of [...named, ...free]) {
      if (take(index, offset ?? this.#free(taken))) continue;
      undo();
      return { type: "refused", index };
    }
    if (dryRun) undo();
    return { type: "taken", offsets };
  }

  #free(taken: AllocationBitmap): number | undefined {
    if (taken.count === taken.size) return undefined;
    const dynamic = this.size - this.#dynamicFrom;
    for (let i = 0; i < RANDOM_TRIES && dynamic > 0; i++) {
      const offset = this.#dynamicFrom + randomInt(dynamic);
      if (!taken.has(offset)) return offset;
    }
    return taken.firstFree(this.#dynamicFrom, this.size) ?? taken.firstFree(0, this.#dynamicFrom);
  }

  #run(apply: Operation["apply"]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ apply, resolve, reject });
      if (!this.#running) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#running = true;
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      try {
        await this.#settle(batch);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#running = false;
  }

  /** Applies the batch to the known state, and again to the stored state if that is newer. */
  async #settle(batch: readonly Operation[]): Promise<void> {
    let fresh = this.#known === undefined;
    let base = this.#known ?? (await this.snapshot());
    for (;;) {
      if (!base.current) {
        this.#known = undefined;
        this.#onMissing();
        throw serviceUnavailable(`the allocations of range ${this.#range} are not in the store yet; try again`);
      }
      const taken = base.taken.clone();
      for (const { apply } of batch) apply(taken);
      if (!taken.equals(base.taken)) {
        const stored = await this.#commit(base, taken);
        this.#learn(stored);
        if (stored.taken === taken) return;
        base = stored;
        fresh = true;
      } else if (fresh) {
        this.#learn(base);
        return;
      } else {
        // Nothing was allocated: final only if the known state is still what is stored.
        base = await this.snapshot();
        fresh = true;
      }
    }
  }

  /** Writes `taken`. Returns the stored state: `taken`, or what another server has written in the meantime. */
  async #commit(base: RangeSnapshot, taken: AllocationBitmap): Promise<RangeSnapshot> {
    const data = taken.encode().toString("base64");
    const allocation = { kind: "RangeAllocation", apiVersion: "v1", metadata: {}, range: this.#range, data };
    const result = await this.#store.commit(
      [{ key: this.#key, modRevision: base.revision }],
      [{ type: "put", key: this.#key, value: Buffer.from(JSON.stringify(allocation)) }],
    );
    if (result.type === "conflict") return this.#decode(result.current[0]);
    return { taken, revision: result.revision, current: true };
  }

  /** Keeps the newest state: another caller may have read a newer one already. */
  #learn(snapshot: RangeSnapshot): void {
    if (this.#known === undefined || snapshot.revision >= this.#known.revision) this.#known = snapshot;
  }

  #decode(stored: Versioned | undefined): RangeSnapshot {
    if (stored === undefined) return { taken: new AllocationBitmap(this.size), revision: 0, current: false };
    const { range, data } = JSON.parse(stored.value.toString()) as { readonly range: string; readonly data?: string };
    const { modRevision: revision } = stored;
    if (range !== this.#range) return { taken: new AllocationBitmap(this.size), revision, current: false };
    return { taken: AllocationBitmap.decode(this.size, Buffer.from(data ?? "", "base64")), revision, current: true };
  }
}
