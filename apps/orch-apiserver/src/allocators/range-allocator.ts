import { randomInt } from "node:crypto";
import { serviceUnavailable } from "@orchernetes/apimachinery";
import type { Revision, Store, Versioned } from "@orchernetes/storage";
import { AllocationBitmap } from "./allocation-bitmap.ts";

/** What of a range is taken, as one revision of the store has it. */
export interface RangeSnapshot {
  readonly taken: AllocationBitmap;
  /** 0: nothing is stored yet. */
  readonly revision: Revision | 0;
  /** Whether it was stored for the range as it is configured; otherwise `taken` is empty. */
  readonly current: boolean;
}

/** What {@link RangeAllocator.allocateAll} has taken, in the order asked for; or the request that could not be met. */
export type Taken =
  | { readonly type: "taken"; readonly offsets: readonly number[] }
  | { readonly type: "refused"; readonly index: number };

/** How many random tries before a systematic search. */
const RANDOM_TRIES = 16;

/** One request of a caller; `apply` says what it gets, and may run again on newer state. */
interface Operation {
  readonly apply: (taken: AllocationBitmap) => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Hands out the offsets of one range. What is taken is kept in the store, in one RangeAllocation that is changed by
 * compare-and-swap, so that any number of servers can share the range. Requests that arrive while a change is on its way are
 * gathered into the next one: a crowd of writers costs one commit, not one each.
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
    /** The range as text: what is stored for another one does not count. */
    readonly range: string;
    readonly size: number;
    /** As many offsets from the start are given out last: they are left to those who choose their own. */
    readonly staticSize: number;
    /** Called when there is no allocation in the store, which someone has to rebuild. */
    readonly onMissing?: () => void;
  }) {
    this.size = options.size;
    this.#store = options.store;
    this.#key = options.key;
    this.#range = options.range;
    this.#dynamicFrom = options.staticSize;
    this.#onMissing = options.onMissing ?? (() => undefined);
  }

  /** How many offsets are taken, as far as this server knows. */
  get count(): number {
    return this.#known?.taken.count ?? 0;
  }

  /** Takes the offset; false if another has it. A dry run only says what would be. */
  async allocate(offset: number, dryRun: boolean): Promise<boolean> {
    let granted = false;
    await this.#run((taken) => {
      granted = dryRun ? !taken.has(offset) : taken.add(offset);
    });
    return granted;
  }

  /** Takes a free offset at random, so that one just freed is not handed out again at once; undefined if none is left. */
  async allocateNext(dryRun: boolean): Promise<number | undefined> {
    const result = await this.allocateAll([undefined], dryRun);
    return result.type === "taken" ? result.offsets[0] : undefined;
  }

  /**
   * Takes several offsets at once, all or none: those that are named, and then free ones at random for the undefined ones. It is
   * one commit however many there are, so that somebody who asks for thousands keeps nobody waiting.
   */
  async allocateAll(wanted: readonly (number | undefined)[], dryRun: boolean): Promise<Taken> {
    let result: Taken = { type: "refused", index: 0 };
    await this.#run((taken) => {
      result = this.#takeAll(taken, wanted, dryRun);
    });
    return result;
  }

  /** Gives offsets back. */
  release(offsets: readonly number[]): Promise<void> {
    return this.#run((taken) => {
      for (const offset of offsets) taken.delete(offset);
    });
  }

  /** What the store has now. */
  async snapshot(): Promise<RangeSnapshot> {
    return this.#decode(await this.#store.get(this.#key));
  }

  /** The snapshot is right as it is. Always true, like a {@link replace} that succeeds. */
  confirm(snapshot: RangeSnapshot): true {
    this.#learn(snapshot);
    return true;
  }

  /** Stores what is taken, unless it has changed since the snapshot was read. */
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
    // Those that are named come first, so that none of them is given out as a free one.
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

  /** Applies the batch to what is known, and again to what is stored if that turns out to be newer. */
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
        // Nothing was granted: that is only final if the store says the same.
        base = await this.snapshot();
        fresh = true;
      }
    }
  }

  /** What is stored afterwards: `taken` itself, or what somebody else has written in the meantime. */
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

  /** The newest state wins: changes of other callers may have overtaken this one. */
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
