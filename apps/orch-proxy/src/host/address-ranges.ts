import { BlockList, isIP } from "node:net";

/** Makes a test whether an address is in one of some ranges, in CIDR notation, or is one of them. Other texts are in none. */
export function inRanges(ranges: readonly string[]): (address: string) => boolean {
  // A list of both families would take an IPv4 address for one of ::/0.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const range of ranges) {
    const [network = "", bits] = range.split("/");
    const family = familyOf(network);
    if (family !== undefined) lists[family].addSubnet(network, Number(bits ?? (family === "ipv6" ? 128 : 32)), family);
  }
  return (address) => {
    const family = familyOf(address);
    return family !== undefined && lists[family].check(address, family);
  };
}

function familyOf(address: string): "ipv4" | "ipv6" | undefined {
  const version = isIP(address);
  return version === 0 ? undefined : version === 6 ? "ipv6" : "ipv4";
}
