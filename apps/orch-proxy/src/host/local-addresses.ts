import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";

/** Addresses of this host that are in one of the ranges, in CIDR notation. */
export function localAddressesIn(ranges: readonly string[], interfaces = networkInterfaces()): readonly string[] {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits] = range.split("/");
    list.addSubnet(address, Number(bits), isIP(address) === 6 ? "ipv6" : "ipv4");
  }
  const all = Object.values(interfaces).flatMap((addresses = []) => addresses.map(({ address }) => address));
  return [...new Set(all)].filter((address) => list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4"));
}
