import { randomBytes } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { AddressHolder, AddressPool, Claimed, Use } from "./address-pool.ts";
import type { AddressTable } from "./address-table.ts";
import { addressAt, type IpRange, staticAddressesOf, usableAddresses, usableOffset } from "./ip-range.ts";

/** Addresses that are looked at before others get a turn. */
const ADDRESSES_PER_TURN = 1024n;

/** The addresses of a range whose allocations are IPAddress objects. */
export class ObjectPool implements AddressPool {
  readonly #range: IpRange;
  readonly #table: AddressTable;
  readonly #size: bigint;

  constructor(range: IpRange, table: AddressTable) {
    this.#range = range;
    this.#table = table;
    this.#size = usableAddresses(range);
  }

  get use(): Use {
    const taken = this.#table.count(this.#range.family);
    return { taken, free: Math.max(0, Number(this.#size) - taken) };
  }

  /** Addresses that clients prefer to choose come last. */
  async take(holder: AddressHolder, dryRun: boolean): Promise<string | undefined> {
    const dynamicFrom = BigInt(staticAddressesOf(this.#range));
    return (
      (await this.#takeBetween(dynamicFrom, this.#size, holder, dryRun)) ??
      (await this.#takeBetween(0n, dynamicFrom, holder, dryRun))
    );
  }

  async claim(address: string, holder: AddressHolder, dryRun: boolean): Promise<Claimed> {
    const offset = usableOffset(this.#range, address);
    if (offset === undefined) return "out-of-range";
    const name = this.#nameAt(offset);
    const taken = dryRun ? this.#table.get(name) === undefined : await this.#table.create(name, holder);
    return taken ? "taken" : "already-allocated";
  }

  async release(addresses: readonly string[], { namespace, name: service }: AddressHolder): Promise<void> {
    for (const address of addresses) {
      const offset = usableOffset(this.#range, address);
      if (offset === undefined) continue;
      const name = this.#nameAt(offset);
      const ref = this.#table.get(name)?.parentRef;
      // Of two services with one address only one has it.
      if (ref !== undefined && (ref.namespace !== namespace || ref.name !== service)) continue;
      await this.#table.delete(name);
    }
  }

  /** The name of the object of an address; offset 0 is the address after the network's. */
  #nameAt(offset: bigint): string {
    return addressAt(this.#range, offset + 1n);
  }

  /** Allocates the first free address from a random one on, of the offsets from `from` to before `to`. */
  async #takeBetween(from: bigint, to: bigint, holder: AddressHolder, dryRun: boolean): Promise<string | undefined> {
    const count = to - from;
    if (count <= 0n) return undefined;
    const start = randomBytes(8).readBigUInt64BE() % count;
    for (let i = 0n; i < count; i++) {
      if (i % ADDRESSES_PER_TURN === ADDRESSES_PER_TURN - 1n) await nextTurn();
      const name = this.#nameAt(from + ((start + i) % count));
      if (this.#table.get(name) !== undefined) continue;
      // Another server may have been faster.
      if (dryRun || (await this.#table.create(name, holder))) return name;
    }
    return undefined;
  }
}
