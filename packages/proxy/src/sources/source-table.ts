import type { NftChain, NftSet, NftTable } from "../nft/table.ts";
import { families, readAddress } from "../policy/values/addresses.ts";
import { isInterfaceName } from "../policy/values/interface-name.ts";

/** The interface of the host to which a pod is connected, at a port of a bridge. */
export interface PodPort {
  readonly name: string;
  /** Those that the pod may send from. */
  readonly addresses: readonly string[];
}

/**
 * A table that drops what pods send with addresses that are not their own, as they can with capability `NET_RAW`: network policies know
 * senders by their addresses. It sees frames where they enter a bridge, before anything else does. Frames of other ports pass.
 *
 * @param ports those of the pods of this node; what has an unusual name or no address is left out
 */
export function sourceTable(tableName: string, ports: readonly PodPort[]): NftTable {
  const names = new Map<string, string>();
  const sources = { 4: new Map<string, string>(), 6: new Map<string, string>() };
  for (const { name, addresses } of ports) {
    const own = addresses.map(readAddress).filter((address) => address !== undefined);
    if (!isInterfaceName(name) || own.length === 0) continue;
    names.set(`"${name}"`, "");
    for (const { family, text } of own) sources[family].set(`"${name}" . ${text}`, "");
  }
  const sets: readonly NftSet[] = [
    { kind: "set", name: "ports", definition: "type ifname;", elements: names },
    ...families.map((family): NftSet => {
      const definition = `type ifname . ipv${family}_addr;`;
      return { kind: "set", name: `sources${family}`, definition, elements: sources[family] };
    }),
  ];
  return { family: "bridge", name: tableName, sets, chains };
}

const chains: readonly NftChain[] = [
  { name: "checked", rules: checkedRules() },
  {
    name: "prerouting",
    // Before frames are passed to the chains of IP, which is at 0.
    hook: { type: "filter", hook: "prerouting", priority: -300 },
    rules: ["iifname @ports jump checked"],
  },
];

function checkedRules(): readonly string[] {
  return [
    "iifname . ip saddr @sources4 accept",
    "iifname . ip6 saddr @sources6 accept",
    // Neighbours are found from these, before and beside the pod's address. Policies close them: see `base-chains.ts`.
    "ip6 saddr { ::, fe80::/10 } accept",
    // A pod must not say that it has the address of another one. Without an address it asks whether somebody has one.
    "iifname . arp saddr ip @sources4 accept",
    "arp saddr ip 0.0.0.0 accept",
    // Also other protocols, such as those that contain packets of IP which nothing else would see.
    "drop",
  ];
}
