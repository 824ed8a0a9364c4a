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
  readonly #addresses: Pool<string>;
  readonly #nodePorts: Pool<number>;

  constructor(options: { readonly ranges: readonly IpRange[]; readonly ports: PortRange; readonly now: () => number }) {
    this.ranges = options.ranges;
    this.#ports = options.ports;
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

  /** A free address of the range, reserved for `key` unless only tried. Throws if none is left. */
  takeAddress(range: IpRange, key: string, dryRun: boolean): string {
    const usable = range.size - (range.family === "IPv4" ? 2n : 1n);
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
      if (dryRun || this.#addresses.reserve(address, key)) return address;
    }
    throw internalError(new Error(`failed to allocate a serviceIP: range ${range.cidr} is full`));
  }

  /** Reserves an address that the client chose; a field error if it can't have it. */
  claimAddress(range: IpRange, address: string, key: string, field: string, dryRun: boolean): FieldError | undefined {
    const shown = `[]string{${JSON.stringify(address)}}`;
    const refuse = (why: string) => invalidValue(field, shown, `failed to allocate IP ${address}: ${why}`);
    if (!contains(range, address) || !isAllocatable(range, address))
      return refuse(`the provided IP (${address}) is not in the valid range. The range of valid IPs is ${range.cidr}`);
    const holder = this.#addresses.holderOf(address);
    if (holder !== undefined && holder !== key) return refuse("provided IP is already allocated");
    if (!dryRun) this.#addresses.reserve(address, key);
    return undefined;
  }

  /** A free node port, reserved for `key` unless only tried. Throws if none is left. */
  takePort(key: string, dryRun: boolean, taken: ReadonlySet<number>): number {
    const { from, to } = this.#ports;
    const ports = function* (): Generator<number> {
      for (let i = 0; i < RANDOM_TRIES; i++) yield randomInt(from, to + 1);
      for (let port = from; port <= to; port++) yield port;
    };
    for (const port of ports()) {
      if (taken.has(port) || this.#nodePorts.holderOf(port) !== undefined) continue;
      if (dryRun || this.#nodePorts.reserve(port, key)) return port;
    }
    throw internalError(new Error(`failed to allocate a nodePort: range is full`));
  }

  /** Reserves a node port that the client chose; a field error if it can't have it. */
  claimPort(port: number, key: string, field: string, dryRun: boolean): FieldError | undefined {
    const { from, to } = this.#ports;
    if (port < from || port > to)
      return invalidValue(
        field,
        String(port),
        `provided port is not in the valid range. The range of valid ports is ${from}-${to}`,
      );
    const holder = this.#nodePorts.holderOf(port);
    if (holder !== undefined && holder !== key)
      return invalidValue(field, String(port), "provided port is already allocated");
    if (!dryRun) this.#nodePorts.reserve(port, key);
    return undefined;
  }
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
