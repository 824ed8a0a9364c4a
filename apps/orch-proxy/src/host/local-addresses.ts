import { networkInterfaces } from "node:os";
import { inRanges } from "./address-ranges.ts";

/**
 * Addresses of this host that are in one of the ranges, in CIDR notation. Link-local ones are left out: nothing can listen on them
 * without the name of an interface, and they may be those of several.
 */
export function localAddressesIn(ranges: readonly string[], interfaces = networkInterfaces()): readonly string[] {
  const isIn = inRanges(ranges);
  const all = Object.values(interfaces).flatMap((addresses = []) => addresses.map(({ address }) => address));
  return [...new Set(all)].filter((address) => !/^fe[89ab]/i.test(address) && isIn(address));
}

/** Whether this host has an address, also one that it got after the start. */
export const isLocalAddress = (address: string, interfaces = networkInterfaces()): boolean =>
  Object.values(interfaces).some((all = []) => all.some((own) => own.address === address));
