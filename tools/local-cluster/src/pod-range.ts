import { applyObject } from "./apply-object.ts";
import type { Cluster } from "./cluster.ts";
import type { NodeState } from "./state.ts";

/**
 * Writes to the Node which range its pods' addresses are from (`spec.podCIDR`). The range is a part of the node's network,
 * which is there before the node, so it is not left to the controller nodeipam. Idempotent.
 *
 * @param as name of the client certificate to use
 * @throws Error with the server's answer when that fails
 */
export function applyPodRange({ files, state }: Cluster, { name, podCidr }: NodeState, as: string): Promise<void> {
  const object = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name },
    spec: { podCIDR: podCidr, podCIDRs: [podCidr] },
  };
  return applyObject(files, state.port, { path: `/api/v1/nodes/${name}`, object, as });
}
