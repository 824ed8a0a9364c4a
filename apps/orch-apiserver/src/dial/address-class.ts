import { BlockList, isIP } from "node:net";

const family = (address: string): "ipv4" | "ipv6" => (isIP(address) === 4 ? "ipv4" : "ipv6");

/** A set of addresses and networks, such as `127.0.0.0/8`. IPv4 addresses written as IPv6 ones belong to the IPv4 networks. */
export function addressSet(entries: Iterable<string>): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = "", prefix] = entry.split("/");
    if (isIP(address) === 0) continue;
    if (prefix === undefined) list.addAddress(address, family(address));
    else list.addSubnet(address, Number(prefix), family(address));
  }
  return (address) => isIP(address) !== 0 && !address.includes("%") && list.check(address, family(address));
}

/** Addresses of this machine that no other can reach. */
export const isLoopback = addressSet(["127.0.0.0/8", "::1"]);

/** The unspecified addresses. */
export const isUnspecified = addressSet(["0.0.0.0/8", "::"]);

const isConfined = addressSet(["169.254.0.0/16", "fe80::/10", "224.0.0.0/4", "ff00::/8", "255.255.255.255"]);

/**
 * Whether an address is global unicast: not loopback, link-local, multicast, broadcast or unspecified. Addresses of private networks
 * count as global.
 */
export function isGlobalUnicast(address: string): boolean {
  const plain = isIP(address) !== 0 && !address.includes("%");
  return plain && !isLoopback(address) && !isUnspecified(address) && !isConfined(address);
}
