import { ipNumber, ipText, parseCidr, parseIp } from "@orchernetes/apimachinery";

/** An IPv4 or IPv6 network whose addresses can be counted. */
export interface IpRange {
  readonly cidr: string;
  readonly family: "IPv4" | "IPv6";
  readonly base: bigint;
  /** Number of addresses, the network's own included. */
  readonly size: bigint;
}

/** Parses a CIDR that has been validated as one; host bits are dropped. */
export function ipRange(cidr: string): IpRange {
  const { address = [], bits = 0 } = parseCidr(cidr) ?? {};
  const family = address.length === 4 ? "IPv4" : "IPv6";
  const hostBits = BigInt(address.length * 8 - bits);
  const size = 1n << hostBits;
  return { cidr, family, base: (ipNumber(address) >> hostBits) << hostBits, size };
}

/** The address at an offset into the range. */
export function addressAt(range: IpRange, offset: bigint): string {
  return ipText(range.base + offset, range.family);
}

/** The bitmap of a larger range would not fit into one stored object. */
const maxIPv6Addresses = 65536n;

/** Number of addresses of the range that services may have: all except the network address and (IPv4) the broadcast address. */
export function usableAddresses({ family, size }: Pick<IpRange, "family" | "size">): bigint {
  const usable = size - (family === "IPv4" ? 2n : 1n);
  return usable > 0n ? usable : 0n;
}

/**
 * Number of addresses of the range that a bitmap has: those that services may have; of an IPv6 range at most the first 65535.
 */
export function allocatableSize({ family, size }: IpRange): number {
  return Number(
    usableAddresses({ family, size: family === "IPv6" && size > maxIPv6Addresses ? maxIPv6Addresses : size }),
  );
}

/** The address at an allocatable offset; offset 0 is the address after the network address. */
export function allocatableAt(range: IpRange, offset: number): string {
  return addressAt(range, BigInt(offset) + 1n);
}

/** The offset of an address in any notation, from the one after the network address; undefined if services cannot have it. */
export function usableOffset(range: IpRange, address: string): bigint | undefined {
  const bytes = parseIp(address);
  if (bytes === undefined || (bytes.length === 4) !== (range.family === "IPv4")) return undefined;
  const offset = ipNumber(bytes) - range.base - 1n;
  return offset >= 0n && offset < usableAddresses(range) ? offset : undefined;
}

/** Like {@link usableOffset}; undefined also if the bitmap of the range does not reach so far. */
export function allocatableOffset(range: IpRange, address: string): number | undefined {
  const offset = usableOffset(range, address);
  return offset !== undefined && offset < BigInt(allocatableSize(range)) ? Number(offset) : undefined;
}

/** Size of the static band at the start of the range, which is preferred for addresses that clients choose (KEP-3070): a 16th, at least 16 and at most 256; 0 for small ranges. */
export function staticAddressesOf({ size }: IpRange): number {
  if (size <= 16n) return 0;
  return Math.min(Math.max(16, Number(size / 16n)), 256);
}

/** The range as text without host bits: `10.0.0.0/24` for `10.0.0.7/24`. */
export function networkOf(range: IpRange): string {
  return `${addressAt(range, 0n)}/${range.cidr.split("/")[1] ?? ""}`;
}
