import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findProgram } from "./probe-container-host.ts";

const run = promisify(execFile);

/** The network of one node's pods. */
export interface PodNetwork {
  /** Bridge of the pods; it names the network. */
  readonly bridge: string;
  /** Addresses of this node's pods. */
  readonly subnet: string;
  /** Addresses of the pods of all nodes of the cluster. @default those of this node's pods */
  readonly clusterCidr?: string | undefined;
}

/** Marks the rule of a network, so that it is found again. */
export const masqueradeComment = (bridge: string): string => `masquerade-${bridge}`;

/**
 * The rule by which pods reach addresses outside the cluster with the address of their node, and other pods with their own one (each pod
 * sees the address that the other one has itself, as the network model requires). Multicast packets keep their source, too.
 *
 * The bridge plugin could have such rules for every pod. But it finds them through the interface of the pod: if it is killed when it has
 * deleted that, the rules stay, and the next pod with the address gets them.
 */
export const masqueradeRule = ({ bridge, subnet, clusterCidr = subnet }: PodNetwork): readonly string[] => [
  ...["POSTROUTING", "-s", subnet, "!", "-d", clusterCidr, "-m", "addrtype", "!", "--dst-type", "MULTICAST"],
  ...["-m", "comment", "--comment", masqueradeComment(bridge), "-j", "MASQUERADE", "--random-fully"],
];

/**
 * Makes pods of a network reach the world. Idempotent.
 *
 * @throws Error when iptables is missing or refuses the rule
 */
export async function masqueradePods(network: PodNetwork): Promise<void> {
  const iptables = findProgram("iptables");
  if (iptables === undefined) throw new Error("Cannot masquerade pods: the program iptables was not found");
  const rule = masqueradeRule(network);
  const inNat = (action: readonly string[]) => run(iptables, ["--wait", "5", "-t", "nat", ...action]);
  const exists = await inNat(["-C", ...rule]).then(
    () => true,
    () => false,
  );
  if (!exists) await inNat(["-A", ...rule]);
}
