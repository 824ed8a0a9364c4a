import { internalError } from "@orchernetes/apimachinery";
import type { Store } from "@orchernetes/storage";
import type { AddressHolder, AddressPool, Claimed, Use } from "./address-pool.ts";
import type { AddressTable } from "./address-table.ts";
import { BitmapPool } from "./bitmap-pool.ts";
import { allocatableSize, type IpRange, networkOf, staticAddressesOf } from "./ip-range.ts";
import { ObjectPool } from "./object-pool.ts";
import { RangeAllocator } from "./range-allocator.ts";

/** Inclusive range of node ports. */
export interface PortRange {
  readonly from: number;
  readonly to: number;
}

/** Takes what an allocator gives out: chosen by it (`dynamic`) or by a client (`static`), and whether there was something to give. */
export interface AllocationObserver {
  address(range: IpRange, scope: "dynamic" | "static", taken: boolean): void;
  port(scope: "dynamic" | "static", taken: boolean): void;
}

/** Addresses and ports of a service. */
export interface Allocated {
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
}

/** Node ports in the order of the requests, or the index of the request that failed and why. */
export type PortsTaken =
  | { readonly type: "taken"; readonly ports: readonly number[] }
  | { readonly type: "refused"; readonly index: number; readonly error: string };

const unobserved: AllocationObserver = { address() {}, port() {} };

/** Where allocations are kept. */
const prefix = "/registry/ranges";

/**
 * Allocates cluster IPs and node ports of services. Allocations are kept in the store and shared by all servers; see
 * {@link RangeAllocator}.
 */
export class ServiceAllocator {
  /** The primary range first. */
  readonly ranges: readonly IpRange[];
  readonly portRange: PortRange;
  /** Bitmaps of {@link ranges}, in their order; none if their addresses are objects. */
  readonly addresses: readonly RangeAllocator[];
  /** Whether a service must have its name before it gets addresses. */
  readonly needsNames: boolean;
  readonly nodePorts: RangeAllocator;
  readonly #pools: readonly AddressPool[];
  readonly #observer: AllocationObserver;
  readonly #ready = Promise.withResolvers<void>();
  #onMissing: () => void = () => undefined;

  constructor(options: {
    readonly ranges: readonly IpRange[];
    readonly ports: PortRange;
    /** Whether the lower ports are left to those who choose their own (KEP-3668). @default false */
    readonly staticPorts?: boolean;
    readonly store: Store;
    /** Allocates addresses as IPAddress objects (KEP-1880). @default as a bitmap for each range */
    readonly table?: AddressTable | undefined;
    readonly observer?: AllocationObserver;
  }) {
    const { ranges, ports, store, table } = options;
    this.#observer = options.observer ?? unobserved;
    this.ranges = ranges;
    this.portRange = ports;
    const onMissing = () => this.#onMissing();
    this.needsNames = table !== undefined;
    const bitmaps = table === undefined ? ranges : [];
    this.addresses = bitmaps.map(
      (range, index) =>
        new RangeAllocator({
          store,
          key: `${prefix}/${index === 0 ? "serviceips" : "secondaryserviceips"}`,
          range: networkOf(range),
          size: allocatableSize(range),
          staticSize: staticAddressesOf(range),
          onMissing,
        }),
    );
    this.#pools =
      table === undefined
        ? this.addresses.flatMap((allocator, i) =>
            ranges[i] === undefined ? [] : [new BitmapPool(ranges[i], allocator)],
          )
        : ranges.map((range) => new ObjectPool(range, table));
    this.nodePorts = new RangeAllocator({
      store,
      key: `${prefix}/servicenodeports`,
      range: `${ports.from}-${ports.to}`,
      size: ports.to - ports.from + 1,
      staticSize: options.staticPorts === true ? staticPortsOf(ports) : 0,
      onMissing,
    });
  }

  /** Marks the allocations of all ranges as stored. @param onMissing called if the store loses them */
  markReady(onMissing: () => void): void {
    this.#onMissing = onMissing;
    this.#ready.resolve();
  }

  /** Resolves when the store has the allocations of all ranges. */
  async whenReady(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const aborted = Promise.withResolvers<void>();
    const abort = () => aborted.reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    try {
      await Promise.race([this.#ready.promise, aborted.promise]);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  /** The range of an IP family; undefined if the cluster has none. */
  rangeOf(family: string): IpRange | undefined {
    return this.ranges.find((r) => r.family === family);
  }

  /** How many addresses of a range services have, and how many they could have. */
  addressesIn(range: IpRange): Use {
    return this.#poolOf(range).use;
  }

  /** How many node ports services have, and how many they could have. */
  portsIn(): Use {
    const { count, size } = this.nodePorts;
    return { taken: count, free: size - count };
  }

  /** Allocates a free address of the range. Throws if none is left. */
  async takeAddress(range: IpRange, holder: AddressHolder, dryRun: boolean): Promise<string> {
    const address = await this.#poolOf(range).take(holder, dryRun);
    if (!dryRun || address === undefined) this.#observer.address(range, "dynamic", address !== undefined);
    if (address === undefined)
      throw internalError(new Error(`failed to allocate a serviceIP: range ${range.cidr} is full`));
    return address;
  }

  /** Allocates an address that the client chose. Returns why it cannot have it; undefined on success. */
  async claimAddress(
    range: IpRange,
    address: string,
    holder: AddressHolder,
    dryRun: boolean,
  ): Promise<string | undefined> {
    const claimed = await this.#poolOf(range).claim(address, holder, dryRun);
    if (!dryRun || claimed !== "taken") this.#observer.address(range, "static", claimed === "taken");
    if (claimed === "taken") return undefined;
    return `failed to allocate IP ${address}: ${refusals[claimed](address, range)}`;
  }

  /**
   * Allocates node ports, all or none: those that the client chose, and free ones for the undefined ones. Throws if too few are
   * free.
   */
  async takePorts(wanted: readonly (number | undefined)[], dryRun: boolean): Promise<PortsTaken> {
    const { from, to } = this.portRange;
    const scopeOf = (port: number | undefined) => (port === undefined ? "dynamic" : "static");
    const refused = (index: number, error: string): PortsTaken => {
      this.#observer.port(scopeOf(wanted[index]), false);
      return { type: "refused", index, error };
    };
    const outside = wanted.findIndex((port) => port !== undefined && (port < from || port > to));
    if (outside !== -1)
      return refused(outside, `provided port is not in the valid range. The range of valid ports is ${from}-${to}`);
    const offsets = wanted.map((port) => (port === undefined ? undefined : port - from));
    const result = await this.nodePorts.allocateAll(offsets, dryRun);
    if (result.type === "taken") {
      if (!dryRun) for (const port of wanted) this.#observer.port(scopeOf(port), true);
      return { type: "taken", ports: result.offsets.map((offset) => from + offset) };
    }
    const answer = refused(result.index, "provided port is already allocated");
    if (wanted[result.index] === undefined)
      throw internalError(new Error("failed to allocate a nodePort: range is full"));
    return answer;
  }

  /** Releases addresses and ports; those outside the ranges of this server are ignored. */
  async release({ addresses, ports }: Allocated, holder: AddressHolder): Promise<void> {
    const { from, to } = this.portRange;
    const offsets = [...new Set(ports)].filter((port) => port >= from && port <= to).map((port) => port - from);
    const perRange = addresses.length === 0 ? [] : this.#pools.map((pool) => pool.release(addresses, holder));
    await Promise.all([...perRange, offsets.length === 0 ? undefined : this.nodePorts.release(offsets)]);
  }

  #poolOf(range: IpRange): AddressPool {
    const pool = this.#pools[this.ranges.indexOf(range)];
    if (pool === undefined) throw new TypeError(`${range.cidr} is no range of this allocator`);
    return pool;
  }
}

const refusals: Readonly<Record<Exclude<Claimed, "taken">, (address: string, range: IpRange) => string>> = {
  "already-allocated": () => "provided IP is already allocated",
  "out-of-range": (address, { cidr }) =>
    `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${cidr}`,
};

/** How many ports of a range are left to those who choose their own: one in 32, but 16 at least and 128 at most; none of a small range. */
function staticPortsOf({ from, to }: PortRange): number {
  const size = to - from + 1;
  return size <= 16 ? 0 : Math.min(Math.max(16, Math.floor(size / 32)), 128);
}
