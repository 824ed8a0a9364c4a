import { networkInterfaces } from "node:os";
import { inRanges } from "../host/address-ranges.ts";
import { isLocalAddress } from "../host/local-addresses.ts";

/**
 * Tells the host's own programs and pods, for which `externalTrafficPolicy` does not hold, from other clients.
 *
 * @param ranges of pods, in CIDR notation
 * @param interfaces @default those of the host
 */
export function clusterClients(
  ranges: readonly string[],
  interfaces = networkInterfaces,
): (address: string) => boolean {
  const isIn = inRanges([...ranges, "127.0.0.0/8", "::1/128"]);
  return (address) => isIn(address) || isLocalAddress(address, interfaces());
}
