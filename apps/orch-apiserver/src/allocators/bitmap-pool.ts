import type { AddressHolder, AddressPool, Claimed, Use } from "./address-pool.ts";
import { allocatableAt, allocatableOffset, type IpRange } from "./ip-range.ts";
import type { RangeAllocator } from "./range-allocator.ts";

/** The addresses of a range whose allocations are one bitmap in the store. */
export class BitmapPool implements AddressPool {
  readonly #range: IpRange;
  readonly #allocator: RangeAllocator;

  constructor(range: IpRange, allocator: RangeAllocator) {
    this.#range = range;
    this.#allocator = allocator;
  }

  get use(): Use {
    const { count, size } = this.#allocator;
    return { taken: count, free: size - count };
  }

  async take(_: AddressHolder, dryRun: boolean): Promise<string | undefined> {
    const offset = await this.#allocator.allocateNext(dryRun);
    return offset === undefined ? undefined : allocatableAt(this.#range, offset);
  }

  async claim(address: string, _: AddressHolder, dryRun: boolean): Promise<Claimed> {
    const offset = allocatableOffset(this.#range, address);
    if (offset === undefined) return "out-of-range";
    return (await this.#allocator.allocate(offset, dryRun)) ? "taken" : "already-allocated";
  }

  async release(addresses: readonly string[]): Promise<void> {
    const offsets = addresses.flatMap((address) => allocatableOffset(this.#range, address) ?? []);
    if (offsets.length > 0) await this.#allocator.release(offsets);
  }
}
