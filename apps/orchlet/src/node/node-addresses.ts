import { isIP } from "node:net";
import { networkInterfaces } from "node:os";

/**
 * The node's addresses: those that are configured, or else the first address of this machine that is neither loopback
 * nor link-local. IPv4 is preferred; `::` prefers IPv6.
 *
 * @param text value of `--node-ip`: empty, one address, or one of each family separated by a comma
 * @returns the addresses, or an error message
 */
export function nodeAddresses(
  text: string,
  interfaces = networkInterfaces(),
): { readonly ips: readonly string[] } | { readonly error: string } {
  const parts = text.split(",").map((part) => part.trim());
  if (text !== "" && text !== "::" && text !== "0.0.0.0") {
    const bad = parts.find((part) => isIP(part) === 0);
    if (bad !== undefined) return { error: `--node-ip: found "${bad}"; want an IP address, or one of each family` };
    if (parts.length > 2 || (parts.length === 2 && isIP(parts[0] ?? "") === isIP(parts[1] ?? "")))
      return { error: `--node-ip: found "${text}"; want at most one address of each family` };
    return { ips: parts };
  }
  const outside = Object.values(interfaces)
    .flatMap((list) => list ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith("fe80:"));
  const families = text === "::" ? ["IPv6", "IPv4"] : ["IPv4", "IPv6"];
  const found = families.flatMap((family) => outside.filter((entry) => entry.family === family))[0];
  return { ips: [found?.address ?? "127.0.0.1"] };
}
