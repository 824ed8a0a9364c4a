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
  /** Addresses of the pods of all nodes of the cluster. */
  readonly clusterCidr: string;
}

/** Marks the rule of a network, so that it is found again. */
export const podAddressesComment = (bridge: string): string => `pods-reach-${bridge}`;

/**
 * The rule by which pods of the cluster reach those of a network with their own addresses (each pod sees the address that the other one
 * has itself, as the network model requires). The bridge plugin masquerades what leaves a pod's own subnet; this rule is before its rules
 * and ends the chain. Packets with the mark of the portmap plugin are still masqueraded: a pod that reaches another one of its bridge
 * through a host port would get the answer from the wrong address otherwise.
 */
export const podAddressesRule = ({ bridge, subnet, clusterCidr }: PodNetwork): readonly string[] => [
  ...["POSTROUTING", "-s", clusterCidr, "-d", subnet, "-m", "mark", "!", "--mark", "0x2000/0x2000"],
  ...["-m", "comment", "--comment", podAddressesComment(bridge), "-j", "ACCEPT"],
];

/**
 * Makes pods of the cluster reach those of a network with their own addresses. Idempotent.
 *
 * @throws Error when iptables is missing or refuses the rule
 */
export async function keepPodAddresses(network: PodNetwork): Promise<void> {
  const iptables = findProgram("iptables");
  if (iptables === undefined) throw new Error("Cannot keep the addresses of pods: the program iptables was not found");
  const rule = podAddressesRule(network);
  const inNat = (action: readonly string[]) => run(iptables, ["--wait", "5", "-t", "nat", ...action]);
  const exists = await inNat(["-C", ...rule]).then(
    () => true,
    () => false,
  );
  if (!exists) await inNat(["-I", ...rule]);
}
