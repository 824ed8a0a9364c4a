import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";

/**
 * The message of a pod that waits for a volume which is attached to another node. It names only pods of the pod's own
 * namespace: its users must not learn the names of others.
 *
 * @param users pods that use the volume on other nodes
 */
export function multiAttachMessage(
  volume: string,
  { metadata: { namespace } }: Stored<core.Pod>,
  users: readonly Stored<core.Pod>[],
): string {
  const names = users.filter((pod) => pod.metadata.namespace === namespace).map((pod) => pod.metadata.name);
  const others = users.length - names.length;
  return `Multi-Attach error for volume "${volume}" ${reasonOf(names, others)}`;
}

function reasonOf(names: readonly string[], others: number): string {
  if (names.length === 0)
    return others === 0
      ? "Volume is already exclusively attached to one node and can't be attached to another"
      : `Volume is already used by ${others} pod(s) in different namespaces`;
  const also = others === 0 ? "" : ` and ${others} pod(s) in different namespaces`;
  return `Volume is already used by pod(s) ${names.join(", ")}${also}`;
}
