import type { NftChain } from "../../nft/table.ts";
import type { Direction } from "../compile/allowed-traffic.ts";
import { families } from "../values/addresses.ts";
import { closedLinksSetName, directions, ownTrafficSetName, verdictMapName } from "./isolated-pods.ts";

/** Nobody knows the link-local addresses of pods: between those on one bridge they would be a way around every policy. */
const linkLocalRules = ["saddr", "daddr"].map((end) => `iifname @${closedLinksSetName} ip6 ${end} fe80::/10 drop`);

/**
 * The chains that packets to and from pods meet when they are forwarded, which is after the address of a service was
 * replaced by that of a pod and before the address of the sender is hidden. Bridged packets meet them only if the kernel
 * setting `bridge-nf-call-iptables` (`bridge-nf-call-ip6tables`) is on.
 *
 * Packets between a pod and its own node are not forwarded: they are always allowed (probes of the node agent depend on
 * it). Each direction has its own chain, because to accept a packet ends only the chain of one hook.
 */
export const baseChains: readonly NftChain[] = directions.map((direction, i) => ({
  name: direction,
  hook: { type: "filter", hook: "forward", priority: i },
  rules: baseRules(direction),
}));

function baseRules(direction: Direction): readonly string[] {
  const far = direction === "egress" ? "saddr" : "daddr";
  const ip = (family: number) => (family === 4 ? "ip" : "ip6");
  return [
    "ct state established,related accept",
    // How neighbours find each other's hardware addresses. The hop limit shows that nobody forwarded the packet.
    "meta nfproto ipv6 icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } ip6 hoplimit 255 accept",
    ...(direction === "egress" ? linkLocalRules : []),
    // A pod cannot be isolated from itself; it reaches itself through its service.
    ...families.map((family) => `${ip(family)} saddr . ${ip(family)} daddr @${ownTrafficSetName(family)} accept`),
    ...families.map((family) => `${ip(family)} ${far} vmap @${verdictMapName(direction, family)}`),
  ];
}
