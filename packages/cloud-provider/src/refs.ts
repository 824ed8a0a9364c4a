import type { core } from "@orchernetes/api";
import type { ResourceRef } from "@orchernetes/client";

/** Nodes; only names and types, because a client needs no schemas. */
export const nodesRef: ResourceRef<core.Node> = Object.freeze({
  group: "",
  version: "v1",
  plural: "nodes",
  kind: "Node",
  scope: "Cluster",
});

/** Services; only names and types. */
export const servicesRef: ResourceRef<core.Service> = Object.freeze({
  group: "",
  version: "v1",
  plural: "services",
  kind: "Service",
  scope: "Namespaced",
});
