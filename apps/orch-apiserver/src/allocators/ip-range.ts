import { type IpBytes, parseCidr, parseIp } from "@orchernetes/apimachinery";

/** An IPv4 or IPv6 network whose addresses can be counted. */
export interface IpRange {
  readonly cidr: string;
  readonly family: "IPv4" | "IPv6";
  readonly base: bigint;
  /** Number of addresses, the network's own included. */
  readonly size: bigint;
}

const toNumber = (bytes: IpBytes): bigint => bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);

function toText(value: bigint, family: IpRange["family"]): string {
  if (family === "IPv4") return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join(".");
  const words = Array.from({ length: 8 }, (_, i) => (value >> BigInt(112 - 16 * i)) & 0xffffn);
  // The WHATWG parser writes the canonical form (RFC 5952).
  return new URL(`http://[${words.map((w) => w.toString(16)).join(":")}]`).hostname.slice(1, -1);
}

/** Parses a CIDR that has been validated as one; host bits are dropped. */
export function ipRange(cidr: string): IpRange {
  const { address = [], bits = 0 } = parseCidr(cidr) ?? {};
  const family = address.length === 4 ? "IPv4" : "IPv6";
  const hostBits = BigInt(address.length * 8 - bits);
  const size = 1n << hostBits;
  return { cidr, family, base: (toNumber(address) >> hostBits) << hostBits, size };
}

/** The address at an offset into the range. */
export function addressAt(range: IpRange, offset: bigint): string {
  return toText(range.base + offset, range.family);
}

/** Allocations of a wider range would not fit into an object of the store. */
const maxIPv6Addresses = 65536n;

/**
 * How many addresses of the range services may have: neither the network's own nor (IPv4) the broadcast address, and of an IPv6
 * range only the first 65535.
 */
export function allocatableSize({ family, size }: IpRange): number {
  const usable = family === "IPv4" ? size - 2n : (size < maxIPv6Addresses ? size : maxIPv6Addresses) - 1n;
  return Number(usable > 0n ? usable : 0n);
}

/** The address that a service gets for an offset; the first is the one after the network's own. */
export function allocatableAt(range: IpRange, offset: number): string {
  return addressAt(range, BigInt(offset) + 1n);
}

/** The offset of an address, in whatever spelling; undefined if services cannot have it. */
export function allocatableOffset(range: IpRange, address: string): number | undefined {
  const bytes = parseIp(address);
  if (bytes === undefined || (bytes.length === 4) !== (range.family === "IPv4")) return undefined;
  const offset = toNumber(bytes) - range.base - 1n;
  return offset >= 0n && offset < BigInt(allocatableSize(range)) ? Number(offset) : undefined;
}

/** How many addresses are left to those who choose their own (KEP-3070): a 16th, but 16 at least and 256 at most; none of a small range. */
export function staticAddressesOf({ size }: IpRange): number {
  if (size <= 16n) return 0;
  return Math.min(Math.max(16, Number(size / 16n)), 256);
}

/** The range as text without host bits: `10.0.0.0/24` for `10.0.0.7/24`. */
export function networkOf(range: IpRange): string {
  return `${addressAt(range, 0n)}/${range.cidr.split("/")[1] ?? ""}`;
}
