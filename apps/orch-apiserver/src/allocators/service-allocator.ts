import { randomInt } from "node:crypto";
import type { core } from "@orchernetes/api";
import { type FieldError, internalError, keyOf } from "@orchernetes/apimachinery";
import { addressAt, contains, type IpRange, isAllocatable } from "./ip-range.ts";
import { Pool } from "./pool.ts";

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

const unobserved: AllocationObserver = { address() {}, port() {} };

const invalidValue = (field: string, shown: string, detail: string): FieldError => ({
  type: "FieldValueInvalid",
  field,
  message: `Invalid value: ${shown}: ${detail}`,
});

/** How many random tries before a systematic search. */
const RANDOM_TRIES = 16;

/**
 * Cluster IPs and node ports of services. {@link observe} and {@link forget} tell it what is stored; the `take…` methods
 * choose values for a service about to be stored. Values are random so that a restart does not hand out one just freed.
 */
export class ServiceAllocator {
  readonly ranges: readonly IpRange[];
  readonly #ports: PortRange;
  /** As many ports at the range's start are given out last. */
  readonly #staticPorts: number;
  readonly #addresses: Pool<string>;
  readonly #nodePorts: Pool<number>;
  readonly #observer: AllocationObserver;

  constructor(options: {
    readonly ranges: readonly IpRange[];
    readonly ports: PortRange;
    /** Whether the lower ports are left to those who choose their own (KEP-3668). @default false */
    readonly staticPorts?: boolean;
    readonly now: () => number;
    readonly observer?: AllocationObserver;
  }) {
    this.#observer = options.observer ?? unobserved;
    this.ranges = options.ranges;
    this.#ports = options.ports;
    this.#staticPorts = options.staticPorts === true ? staticPortsOf(options.ports) : 0;
    this.#addresses = new Pool(options);
    this.#nodePorts = new Pool(options);
  }

  /** A service is stored as given. */
  observe(service: core.Service): void {
    const key = keyOf(service);
    const { clusterIPs, clusterIP, ports, healthCheckNodePort } = service.spec;
    const addresses = clusterIPs ?? (clusterIP ? [clusterIP] : []);
    this.#addresses.hold(
      key,
      addresses.filter((ip) => ip !== "None" && ip !== ""),
    );
    const nodePorts = new Set<number>();
    for (const { nodePort } of ports ?? []) if (nodePort) nodePorts.add(nodePort);
    if (healthCheckNodePort) nodePorts.add(healthCheckNodePort);
    this.#nodePorts.hold(key, [...nodePorts]);
  }

  /** A service is gone; `key` is `namespace/name`. */
  forget(key: string): void {
    this.#addresses.release(key);
    this.#nodePorts.release(key);
  }

  holderOfAddress(address: string): string | undefined {
    return this.#addresses.holderOf(address);
  }

  holderOfPort(port: number): string | undefined {
    return this.#nodePorts.holderOf(port);
  }

  /** The range of an IP family; undefined if the cluster has none. */
  rangeOf(family: string): IpRange | undefined {
    return this.ranges.find((r) => r.family === family);
  }

  /** How many addresses of a range services have, and how many they could have. */
  addressesIn(range: IpRange): Use {
    let taken = 0;
    for (const address of this.#addresses.held()) if (contains(range, address)) taken++;
    return { taken, free: Number(usableIn(range)) - taken };
  }

  /** How many node ports services have, and how many they could have. */
  portsIn(): Use {
    const taken = this.#nodePorts.size;
    return { taken, free: this.#ports.to - this.#ports.from + 1 - taken };
  }

  /** A free address of the range, reserved for `key` unless only tried. Throws if none is left. */
  takeAddress(range: IpRange, key: string, dryRun: boolean): string {
    const usable = usableIn(range);
    // Random addresses come from the upper part; the lower (16 to 256 addresses) is left to those who choose their own.
    const reservedBelow = usable < 16n ? 0n : min(max(usable / 16n, 16n), 256n);
    const span = Number(min(usable - reservedBelow, BigInt(2 ** 47)));
    const offsets = function* (): Generator<bigint> {
      for (let i = 0; i < RANDOM_TRIES && span > 0; i++) yield 1n + reservedBelow + BigInt(randomInt(span));
      for (let i = reservedBelow; i < usable; i++) yield 1n + i;
      for (let i = 0n; i < reservedBelow; i++) yield 1n + i;
    };
    for (const offset of offsets()) {
      const address = addressAt(range, offset);
      if (this.#addresses.holderOf(address) !== undefined) continue;
      if (!dryRun && !this.#addresses.reserve(address, key)) continue;
      if (!dryRun) this.#observer.address(range, "dynamic", true);
      return address;
    }
    this.#observer.address(range, "dynamic", false);
    throw internalError(new Error(`failed to allocate a serviceIP: range ${range.cidr} is full`));
  }

  /** Reserves an address that the client chose; a field error if it can't have it. */
  claimAddress(range: IpRange, address: string, key: string, field: string, dryRun: boolean): FieldError | undefined {
    const shown = `[]string{${JSON.stringify(address)}}`;
    const refuse = (why: string) => {
      this.#observer.address(range, "static", false);
      return invalidValue(field, shown, `failed to allocate IP ${address}: ${why}`);
    };
    if (!contains(range, address) || !isAllocatable(range, address))
      return refuse(`the provided IP (${address}) is not in the valid range. The range of valid IPs is ${range.cidr}`);
    const holder = this.#addresses.holderOf(address);
    if (holder !== undefined && holder !== key) return refuse("provided IP is already allocated");
    if (dryRun) return undefined;
    this.#addresses.reserve(address, key);
    this.#observer.address(range, "static", true);
    return undefined;
  }

  /** A free node port, reserved for `key` unless only tried. Throws if none is left. */
  takePort(key: string, dryRun: boolean, taken: ReadonlySet<number>): number {
    const { from, to } = this.#ports;
    const dynamicFrom = from + this.#staticPorts;
    const ports = function* (): Generator<number> {
      for (let i = 0; i < RANDOM_TRIES; i++) yield randomInt(dynamicFrom, to + 1);
      for (let port = dynamicFrom; port <= to; port++) yield port;
      for (let port = from; port < dynamicFrom; port++) yield port;
    };
    for (const port of ports()) {
      if (taken.has(port) || this.#nodePorts.holderOf(port) !== undefined) continue;
      if (!dryRun && !this.#nodePorts.reserve(port, key)) continue;
      if (!dryRun) this.#observer.port("dynamic", true);
      return port;
    }
    this.#observer.port("dynamic", false);
    throw internalError(new Error(`failed to allocate a nodePort: range is full`));
  }

  /** Reserves a node port that the client chose; a field error if it can't have it. */
  claimPort(port: number, key: string, field: string, dryRun: boolean): FieldError | undefined {
    const { from, to } = this.#ports;
    const refuse = (why: string) => {
      this.#observer.port("static", false);
      return invalidValue(field, String(port), why);
    };
    if (port < from || port > to)
      return refuse(`provided port is not in the valid range. The range of valid ports is ${from}-${to}`);
    const holder = this.#nodePorts.holderOf(port);
    if (holder !== undefined && holder !== key) return refuse("provided port is already allocated");
    if (dryRun) return undefined;
    this.#nodePorts.reserve(port, key);
    this.#observer.port("static", true);
    return undefined;
  }
}

/** How many ports of a range are left to those who choose their own: one in 32, but 16 at least and 128 at most; none of a small range. */
function staticPortsOf({ from, to }: PortRange): number {
  const size = to - from + 1;
  return size <= 16 ? 0 : Math.min(Math.max(16, Math.floor(size / 32)), 128);
}

/** Addresses that can be given out: network and broadcast addresses cannot. */
const usableIn = (range: IpRange): bigint => range.size - (range.family === "IPv4" ? 2n : 1n);
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
