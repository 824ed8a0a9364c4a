import { parseIp } from "@orchernetes/apimachinery";
import type { CloudNode } from "./cloud-provider.ts";

/**
 * What is special about an address, so that it cannot be that of a load balancer: clients that send to it would reach their own
 * host or network. Undefined for other addresses, and for texts that are no address. Pure.
 */
export function specialKind(ip: string): "unspecified" | "loopback" | "link-local" | "multicast" | undefined {
  const bytes = parseIp(ip);
  if (bytes === undefined) return undefined;
  const [first = 0, second = 0] = bytes;
  const isV4 = bytes.length === 4;
  const isZeroBeforeLast = bytes.slice(0, -1).every((byte) => byte === 0);
  const last = bytes.at(-1);
  if (isV4 ? first === 0 : isZeroBeforeLast && last === 0) return "unspecified";
  if (isV4 ? first === 127 : isZeroBeforeLast && last === 1) return "loopback";
  if (isV4 ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80) return "link-local";
  // 255.255.255.255, the broadcast address, has no range of its own.
  const isMulticast = isV4 ? (first & 0xf0) === 224 || bytes.every((byte) => byte === 255) : first === 0xff;
  return isMulticast ? "multicast" : undefined;
}

/**
 * Whether a load balancer of these nodes may have an address. Special ones are refused, with one exception: all nodes of a cluster
 * on a single machine can have loopback addresses, and then clients are there, too. One such node among others is not enough. Pure.
 */
export function mayBeIngress(ip: string, nodes: readonly CloudNode[]): boolean {
  const kind = specialKind(ip);
  if (kind !== "loopback") return kind === undefined;
  const isHere = ({ status }: CloudNode): boolean =>
    (status?.addresses ?? []).some(({ type, address }) => type === "InternalIP" && specialKind(address) === "loopback");
  return nodes.length > 0 && nodes.every(isHere);
}
