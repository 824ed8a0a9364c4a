import { type IpBytes, parseIp } from "./ip.ts";

/** The address as a number, so that ranges can be computed with. */
export const ipNumber = (bytes: IpBytes): bigint => bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);

/** The text of an address in the form in which Go writes it: dotted, or the canonical form of IPv6 (RFC 5952). */
export function ipText(value: bigint, family: "IPv4" | "IPv6"): string {
  if (family === "IPv4") return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join(".");
  const words = Array.from({ length: 8 }, (_, i) => (value >> BigInt(112 - 16 * i)) & 0xffffn);
  // The WHATWG parser writes the canonical form.
  return new URL(`http://[${words.map((w) => w.toString(16)).join(":")}]`).hostname.slice(1, -1);
}

/** An address of any notation as Go writes it; undefined for other texts. IPv4-mapped addresses are IPv4. */
export function canonicalIp(address: string): string | undefined {
  const bytes = parseIp(address);
  return bytes && ipText(ipNumber(bytes), bytes.length === 4 ? "IPv4" : "IPv6");
}
