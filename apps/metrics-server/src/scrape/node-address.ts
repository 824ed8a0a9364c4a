import type { NodeView } from "../cluster/node-view.ts";

/** The flags that say where node agents are. */
export interface AgentAddressFlags {
  readonly "orchlet-port": number;
  readonly "orchlet-preferred-address-types": readonly string[];
  readonly "orchlet-use-node-status-port": boolean;
}

/** Where the agent of a node is. @throws Error if the node has no address of a preferred type */
export function agentAddress(
  { addresses, agentPort }: NodeView,
  flags: AgentAddressFlags,
): { readonly host: string; readonly port: number } {
  const types = flags["orchlet-preferred-address-types"];
  for (const type of types) {
    const found = addresses.find((one) => one.type === type && one.address !== "");
    if (found === undefined) continue;
    const known = flags["orchlet-use-node-status-port"] && agentPort > 0;
    return { host: found.address, port: known ? agentPort : flags["orchlet-port"] };
  }
  throw new Error(`no address matched types [${types.join(" ")}]`);
}
