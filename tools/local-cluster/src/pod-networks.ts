import { createHash } from "node:crypto";
import { createServer } from "node:net";
import { type Claim, claimOnHost } from "./claims.ts";
import { canAddLocalNetwork } from "./local-network.ts";
import type { NodeState } from "./state.ts";

/** Distinguishes clusters on one machine: it is part of the names of bridges, and of the pod networks. */
export const tagOf = (dataDir: string): Buffer => createHash("sha256").update(dataDir).digest();

/**
 * Chooses the pod network of the `index`-th node: one that no other cluster of this host has, or is about to have.
 *
 * Pods of plain processes share the host's network: each gets a host address of its own, so that it can have its own ports.
 * Where this tool may not add addresses to the host these are loopback ones, which Endpoints objects must not hold.
 *
 * @throws Error when all networks of the cluster's range are in use
 */
export async function choosePodNetwork(
  runtime: NodeState["runtime"],
  tag: Buffer,
  index: number,
  { claim = claimOnHost, isUsed = isOfHost }: { claim?: Claim; isUsed?: (address: string) => Promise<boolean> } = {},
): Promise<string> {
  const first = runtime === "containerd" || canAddLocalNetwork() ? 10 : 127;
  const range = `${first}.${64 + ((tag[0] ?? 0) % 32)}`;
  for (let i = 0; i < 256; i++) {
    const network = `${range}.${((tag[1] ?? 0) + index + i) % 256}.`;
    if (!(await claim(`network/${network}0`))) continue;
    // All loopback addresses are the host's.
    if (first === 127 || !(await isUsed(`${network}1`))) return `${network}0/24`;
  }
  throw new Error(`no pod network is free: all of ${range}.0.0/16 are in use on this host`);
}

/** Whether the address is one of this host's: one of a bridge, or of a network that the process runtime's pods have. */
function isOfHost(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen({ port: 0, host: address }, () => probe.close(() => resolve(true)));
  });
}
