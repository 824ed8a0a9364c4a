import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";

/**
 * Transform of an informer: keeps the fields of a node that scheduling reads. Heartbeats do not change them, so that
 * most updates of nodes have no effect.
 */
export function slimNode(node: Stored<core.Node>): Stored<core.Node> {
  const { name, uid, resourceVersion, creationTimestamp, labels } = node.metadata;
  const { allocatable, images, nodeInfo, daemonEndpoints } = node.status;
  const { unschedulable, taints } = node.spec;
  return {
    metadata: { name, uid, resourceVersion, creationTimestamp, ...(labels !== undefined && { labels }) },
    spec: { ...(unschedulable === true && { unschedulable }), ...(taints !== undefined && { taints }) },
    status: {
      daemonEndpoints,
      nodeInfo,
      ...(allocatable !== undefined && { allocatable }),
      ...(images !== undefined && { images }),
    },
  };
}
