import { isIPv4, isIPv6 } from "node:net";

/**
 * The addresses of a pod in the order in which its status shows them: the first of the family of the node's primary address, then the first of
 * the other family. Runtimes may report them in any order. Of texts that are no addresses, the API server would reject the status. Pure.
 */
export function podAddresses(ips: readonly string[], nodeIPs: readonly string[]): readonly string[] {
  const families = isIPv6(nodeIPs[0] ?? "") ? [isIPv6, isIPv4] : [isIPv4, isIPv6];
  return families.flatMap((isOfFamily) => ips.find((ip) => isOfFamily(ip)) ?? []);
}
