import { isIPv4 } from "node:net";

/** An IPv4 or IPv6 network whose addresses can be counted. */
export interface IpRange {
  readonly cidr: string;
  readonly family: "IPv4" | "IPv6";
  readonly base: bigint;
  /** Number of addresses, the network's own included. */
  readonly size: bigint;
}

function toNumber(address: string): bigint {
  if (isIPv4(address)) return address.split(".").reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
  const [head = "", tail] = address.split("::");
  const words = (text: string): string[] => (text === "" ? [] : text.split(":"));
  const left = words(head);
  const right = tail === undefined ? [] : words(tail);
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => "0");
  return [...left, ...zeros, ...right].reduce((sum, word) => (sum << 16n) | BigInt(`0x${word}`), 0n);
}

function toText(value: bigint, family: IpRange["family"]): string {
  if (family === "IPv4") return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join(".");
  const words = Array.from({ length: 8 }, (_, i) => (value >> BigInt(112 - 16 * i)) & 0xffffn);
  // The WHATWG parser writes the canonical form (RFC 5952).
  return new URL(`http://[${words.map((w) => w.toString(16)).join(":")}]`).hostname.slice(1, -1);
}

/** Parses a CIDR that has been validated as one; host bits are dropped. */
export function ipRange(cidr: string): IpRange {
  const [address = "", prefix = ""] = cidr.split("/");
  const family = isIPv4(address) ? "IPv4" : "IPv6";
  const hostBits = BigInt((family === "IPv4" ? 32 : 128) - Number(prefix));
  const size = 1n << hostBits;
  return { cidr, family, base: (toNumber(address) >> hostBits) << hostBits, size };
}

/** The address at an offset into the range. */
export function addressAt(range: IpRange, offset: bigint): string {
  return toText(range.base + offset, range.family);
}

/** Whether the range holds the address. */
export function contains(range: IpRange, address: string): boolean {
  if (isIPv4(address) !== (range.family === "IPv4")) return false;
  const value = toNumber(address);
  return value >= range.base && value < range.base + range.size;
}

/** Whether the address is one of the range that a service may have: not the network's own, nor (IPv4) the broadcast address. */
export function isAllocatable(range: IpRange, address: string): boolean {
  if (!contains(range, address)) return false;
  const offset = toNumber(address) - range.base;
  return offset > 0n && !(range.family === "IPv4" && offset === range.size - 1n);
}
