import { ipNumber, ipText, parseCidr } from "@orchernetes/apimachinery";

/** A range of addresses with a prefix. */
export interface Network {
  readonly family: "IPv4" | "IPv6";
  /** Length of the prefix. */
  readonly bits: number;
  readonly first: bigint;
  readonly last: bigint;
  /** In canonical form, without bits beyond the prefix: `10.0.0.0/24`. */
  readonly text: string;
}

/** The cluster's range of one address family, and the prefix of the ranges of nodes. */
export interface ClusterRange {
  readonly network: Network;
  readonly nodeBits: number;
}

/** Length of an address in bits. */
export const widthOf = (family: Network["family"]): number => (family === "IPv4" ? 32 : 128);

function network(family: Network["family"], first: bigint, bits: number): Network {
  const last = first + (1n << BigInt(widthOf(family) - bits)) - 1n;
  return { family, bits, first, last, text: `${ipText(first, family)}/${bits}` };
}

/** A range of any notation; bits beyond its prefix are dropped. Undefined for other texts. */
export function parseNetwork(text: string): Network | undefined {
  const cidr = parseCidr(text.trim());
  if (cidr === undefined) return undefined;
  const family = cidr.address.length === 4 ? "IPv4" : "IPv6";
  const hostBits = BigInt(widthOf(family) - cidr.bits);
  return network(family, (ipNumber(cidr.address) >> hostBits) << hostBits, cidr.bits);
}

/** The range with the given number among those of `bits` into which a range is split. */
export function subnetOf({ family, first }: Network, bits: number, index: number): Network {
  return network(family, first + (BigInt(index) << BigInt(widthOf(family) - bits)), bits);
}

/** Whether two ranges have an address in common. */
export function overlap(a: Network, b: Network): boolean {
  return a.family === b.family && a.first <= b.last && b.first <= a.last;
}

/** Whether a range lies within another one. */
export function contains(outer: Network, inner: Network): boolean {
  return overlap(outer, inner) && outer.bits <= inner.bits;
}
