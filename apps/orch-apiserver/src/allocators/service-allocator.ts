import { internalError } from "@orchernetes/apimachinery";
import type { Store } from "@orchernetes/storage";
import {
  allocatableAt,
  allocatableOffset,
  allocatableSize,
  type IpRange,
  networkOf,
  staticAddressesOf,
} from "./ip-range.ts";
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

/** How much of something is in use. */
export interface Use {
  readonly taken: number;
  readonly free: number;
}

/** What a service has, or had. */
export interface Allocated {
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
}

const unobserved: AllocationObserver = { address() {}, port() {} };

/** Where allocations are kept. */
const prefix = "/registry/ranges";

/**
 * Cluster IPs and node ports of services. What is taken is kept in the store, so that every server that shares it knows;
 * {@link RangeAllocator} has the rest.
 */
export class ServiceAllocator {
  /** The primary range first. */
  readonly ranges: readonly IpRange[];
  readonly portRange: PortRange;
  /** Allocations of {@link ranges}, in their order. */
  readonly addresses: readonly RangeAllocator[];
  readonly nodePorts: RangeAllocator;
  readonly #observer: AllocationObserver;
  readonly #ready = Promise.withResolvers<void>();
  #onMissing: () => void = () => undefined;

  constructor(options: {
    readonly ranges: readonly IpRange[];
    readonly ports: PortRange;
    /** Whether the lower ports are left to those who choose their own (KEP-3668). @default false */
    readonly staticPorts?: boolean;
    readonly store: Store;
    readonly observer?: AllocationObserver;
  }) {
    const { ranges, ports, store } = options;
    this.#observer = options.observer ?? unobserved;
    this.ranges = ranges;
    this.portRange = ports;
    const onMissing = () => this.#onMissing();
    this.addresses = ranges.map(
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
    this.nodePorts = new RangeAllocator({
      store,
      key: `${prefix}/servicenodeports`,
      range: `${ports.from}-${ports.to}`,
      size: ports.to - ports.from + 1,
      staticSize: options.staticPorts === true ? staticPortsOf(ports) : 0,
      onMissing,
    });
  }

  /** The store has the allocations of all ranges, and `onMissing` is whom to call if it loses them. */
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
    const allocator = this.#allocatorOf(range);
    return { taken: allocator.count, free: allocator.size - allocator.count };
  }

  /** How many node ports services have, and how many they could have. */
  portsIn(): Use {
    const { count, size } = this.nodePorts;
    return { taken: count, free: size - count };
  }

  /** A free address of the range. Throws if none is left. */
  async takeAddress(range: IpRange, dryRun: boolean): Promise<string> {
    const offset = await this.#allocatorOf(range).allocateNext(dryRun);
    if (!dryRun || offset === undefined) this.#observer.address(range, "dynamic", offset !== undefined);
    if (offset === undefined)
      throw internalError(new Error(`failed to allocate a serviceIP: range ${range.cidr} is full`));
    return allocatableAt(range, offset);
  }

  /** Takes an address that the client chose; what keeps it from having it, if anything does. */
  async claimAddress(range: IpRange, address: string, dryRun: boolean): Promise<string | undefined> {
    const offset = allocatableOffset(range, address);
    const taken = offset !== undefined && (await this.#allocatorOf(range).allocate(offset, dryRun));
    if (!dryRun || !taken) this.#observer.address(range, "static", taken);
    if (taken) return undefined;
    const why =
      offset === undefined
        ? `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${range.cidr}`
        : "provided IP is already allocated";
    return `failed to allocate IP ${address}: ${why}`;
  }

  /** A free node port. Throws if none is left. `besides` holds ports that do not count as free. */
  async takePort(dryRun: boolean, besides: ReadonlySet<number>): Promise<number> {
    const { from } = this.portRange;
    const offset = await this.nodePorts.allocateNext(dryRun, new Set([...besides].map((port) => port - from)));
    if (!dryRun || offset === undefined) this.#observer.port("dynamic", offset !== undefined);
    if (offset === undefined) throw internalError(new Error("failed to allocate a nodePort: range is full"));
    return from + offset;
  }

  /** Takes a node port that the client chose; what keeps it from having it, if anything does. */
  async claimPort(port: number, dryRun: boolean): Promise<string | undefined> {
    const { from, to } = this.portRange;
    const inRange = port >= from && port <= to;
    const taken = inRange && (await this.nodePorts.allocate(port - from, dryRun));
    if (!dryRun || !taken) this.#observer.port("static", taken);
    if (taken) return undefined;
    return inRange
      ? "provided port is already allocated"
      : `provided port is not in the valid range. The range of valid ports is ${from}-${to}`;
  }

  /** Gives back what a service no longer has; what is in no range of this server is left out. */
  async release({ addresses, ports }: Allocated): Promise<void> {
    const { from, to } = this.portRange;
    const offsets = [...new Set(ports)].filter((port) => port >= from && port <= to).map((port) => port - from);
    const perRange = this.ranges.map((range, index) => {
      const freed = addresses.flatMap((address) => allocatableOffset(range, address) ?? []);
      return freed.length === 0 ? undefined : this.addresses[index]?.release(freed);
    });
    await Promise.all([...perRange, offsets.length === 0 ? undefined : this.nodePorts.release(offsets)]);
  }

  #allocatorOf(range: IpRange): RangeAllocator {
    const allocator = this.addresses[this.ranges.indexOf(range)];
    if (allocator === undefined) throw new TypeError(`${range.cidr} is no range of this allocator`);
    return allocator;
  }
}

/** How many ports of a range are left to those who choose their own: one in 32, but 16 at least and 128 at most; none of a small range. */
function staticPortsOf({ from, to }: PortRange): number {
  const size = to - from + 1;
  return size <= 16 ? 0 : Math.min(Math.max(16, Math.floor(size / 32)), 128);
}
