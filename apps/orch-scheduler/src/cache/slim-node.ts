import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { type PartSharing, unshared } from "./interned.ts";

/**
 * Transform of an informer: keeps the fields of a node that scheduling reads. Heartbeats do not change them, so that
 * most updates of nodes have no effect.
 *
 * @param sharing keeps once what nodes of a kind have in common, above all images; @default nothing is shared
 */
export function slimNode(node: Stored<core.Node>, { value }: PartSharing = unshared): Stored<core.Node> {
  const { name, uid, resourceVersion, creationTimestamp, labels } = node.metadata;
  const { allocatable, images, nodeInfo, daemonEndpoints } = node.status;
  const { unschedulable, taints } = node.spec;
  return {
    metadata: { name, uid, resourceVersion, creationTimestamp, ...(labels !== undefined && { labels }) },
    spec: {
      ...(unschedulable === true && { unschedulable }),
      ...(taints !== undefined && { taints: value(taints) }),
    },
    status: {
      daemonEndpoints,
      nodeInfo,
      ...(allocatable !== undefined && { allocatable: value(allocatable) }),
      ...(images !== undefined && { images: images.map(value) }),
    },
  };
}
