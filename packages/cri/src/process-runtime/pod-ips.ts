/**
 * Creates a function that chooses an address that is not in use.
 *
 * @param subnet - IPv4 network for an address per sandbox. All of its addresses must belong to this host, as in
 *   `127.64.0.0/16` or a network routed as local. Undefined: all sandboxes share 127.0.0.1
 * @throws RangeError if the subnet is not an IPv4 network
 */
export function createIpAllocator(subnet: string | undefined): (used: ReadonlySet<string>) => string {
  if (subnet === undefined) return () => "127.0.0.1";
  const [, address = "", bits = ""] = /^(\d{1,3}(?:\.\d{1,3}){3})\/(\d{1,2})$/.exec(subnet) ?? [];
  const octets = address.split(".").map(Number);
  const prefix = Number(bits);
  if (octets.length !== 4 || octets.some((octet) => octet > 255) || prefix < 8 || prefix > 30) {
    throw new RangeError(
      `Cannot use pod subnet "${subnet}": must be an IPv4 network whose addresses all belong to this host, with a prefix of 8 to 30`,
    );
  }
  const size = 2 ** (32 - prefix);
  const base = octets.reduce((value, octet) => value * 256 + octet, 0);
  const start = base - (base % size);
  let last = 0;
  return (used) => {
    // Round robin, so that the address of a removed pod is not used again immediately: clients may still have
    // connections to it.
    for (let step = 0; step < size; step++) {
      last = (last % (size - 3)) + 1;
      // The first address belongs to the node, like the address of a bridge.
      const ip = [24, 16, 8, 0].map((shift) => ((start + 1 + last) >>> shift) & 255).join(".");
      if (!used.has(ip)) return ip;
    }
    throw new Error(`no free address in ${subnet}`);
  };
}
