import type { core } from "@orchernetes/api";
import type { ApiObject, Stored } from "@orchernetes/apimachinery";
import type { ResourceRef } from "@orchernetes/client";

/** What is kept of a node. */
export interface NodeView extends ApiObject {
  readonly addresses: readonly { readonly type: string; readonly address: string }[];
  /** Port of its agent according to its status; 0 if it is not there. */
  readonly agentPort: number;
  readonly isReady: boolean;
}

export const nodeViews: ResourceRef<NodeView> = {
  group: "",
  version: "v1",
  plural: "nodes",
  kind: "Node",
  scope: "Cluster",
};

/** Reduces a node to what this server needs of it. */
export function nodeView(object: Stored<NodeView>): Stored<NodeView> {
  const { metadata, status } = object as unknown as Stored<core.Node>;
  const { name, uid, resourceVersion, creationTimestamp, labels } = metadata;
  return {
    metadata: { name, uid, resourceVersion, creationTimestamp, ...(labels && { labels }) },
    addresses: status?.addresses ?? [],
    agentPort: status?.daemonEndpoints?.orchletEndpoint?.Port ?? 0,
    isReady: status?.conditions?.some((found) => found.type === "Ready" && found.status === "True") === true,
  };
}
