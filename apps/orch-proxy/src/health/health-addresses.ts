import { networkInterfaces } from "node:os";
import type { OrchProxyConfiguration } from "@orchernetes/config";
import { localAddressesIn } from "../host/local-addresses.ts";
import { type BindAddress, everywhere } from "./bind-address.ts";

const FAMILIES = [
  { all: "0.0.0.0", isOf: (range: string) => !range.includes(":") },
  { all: "::", isOf: (range: string) => range.includes(":") },
] as const;

/**
 * Where the health of services is served: at the addresses that serve their node ports. Of a family without a range in
 * `nodePortAddresses`, or with one of length 0, these are all addresses.
 */
export function healthAddresses(
  { nftables, nodePortAddresses }: Pick<OrchProxyConfiguration, "nftables" | "nodePortAddresses">,
  interfaces = networkInterfaces(),
): readonly BindAddress[] {
  if (nftables.onlyNode !== undefined) return nftables.onlyNode.addresses.map((host) => ({ host }));
  const hasIPv6 = Object.values(interfaces).some((all = []) => all.some(({ family }) => family === "IPv6"));
  const families = FAMILIES.filter(({ all }) => hasIPv6 || all !== "::").map(({ all, isOf }) => {
    const ranges = nodePortAddresses.filter(isOf);
    return { all, ranges, isAll: ranges.length === 0 || ranges.some((range) => range.endsWith("/0")) };
  });
  if (families.every(({ isAll }) => isAll)) return [everywhere];
  return families.flatMap(({ all, ranges, isAll }) =>
    isAll ? [{ host: all, isOneFamily: true }] : localAddressesIn(ranges, interfaces).map((host) => ({ host })),
  );
}
