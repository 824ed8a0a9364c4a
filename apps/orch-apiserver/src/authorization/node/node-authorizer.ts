import type { rbac } from "@orchernetes/api";
import { core, storage } from "@orchernetes/api";
import type { ApiObject } from "@orchernetes/apimachinery";
import type { Registry, ResourceStore } from "@orchernetes/apiserver";
import { type Attributes, type Authorizer, type Decision, ruleAllows } from "@orchernetes/auth";
import type { NodeGraph } from "./node-graph.ts";

const ALLOW: Decision = Object.freeze({ type: "Allow" });
const noOpinion = (reason?: string): Decision =>
  reason === undefined ? { type: "NoOpinion" } : { type: "NoOpinion", reason };

const READ = new Set(["get", "list", "watch"]);

/** Allows access to an object that a pod on the node refers to. Reasons of denials are in upstream's words (`node_authorizer.go`). */
function authorizeRelated(graph: NodeGraph, node: string, a: Attributes): Decision {
  if (a.name === "") return noOpinion("No Object name found");
  if (graph.mayRead(node, a.resource, a.namespace, a.name)) return ALLOW;
  return noOpinion(`no relationship found between node '${node}' and this object`);
}

/** Secrets and ConfigMaps: a node may get, list and watch single ones that its pods refer to. */
function authorizeRead(graph: NodeGraph, node: string, a: Attributes): Decision {
  if (!READ.has(a.verb)) return noOpinion("can only read resources of this type");
  if (a.subresource !== "") return noOpinion("cannot read subresource");
  if (a.namespace === "") return noOpinion("can only read namespaced object of this type");
  return authorizeRelated(graph, node, a);
}

/** Persistent volumes, volume attachments and resource claims: a node may get them, but not list or watch them. */
function authorizeGet(graph: NodeGraph, node: string, a: Attributes): Decision {
  if (a.verb !== "get") return noOpinion("can only get individual resources of this type");
  if (a.subresource !== "") return noOpinion("cannot get subresource");
  return authorizeRelated(graph, node, a);
}

/** Persistent volume claims: as {@link authorizeGet}; the status may be written after a volume was expanded on the node. */
function authorizeClaim(graph: NodeGraph, node: string, a: Attributes): Decision {
  if (a.subresource !== "status") return authorizeGet(graph, node, a);
  if (a.verb !== "update" && a.verb !== "patch") return noOpinion("can only get/update/patch this type");
  return authorizeRelated(graph, node, a);
}

/** A node may request tokens only for the service accounts of its pods. */
function authorizeToken(graph: NodeGraph, node: string, a: Attributes): Decision {
  if (a.verb !== "create" || a.name === "") return noOpinion("can only create tokens for individual service accounts");
  if (a.subresource !== "token") return noOpinion("can only create token subresource of serviceaccount");
  return authorizeRelated(graph, node, a);
}

/** A node may write only its own lease, by which it shows that it is alive. */
function authorizeLease(node: string, a: Attributes): Decision {
  if (!["get", "create", "update", "patch", "delete"].includes(a.verb))
    return noOpinion("can only get, create, update, patch, or delete a node lease");
  if (a.namespace !== "orch-node-lease")
    return noOpinion(`can only access leases in the "orch-node-lease" system namespace`);
  if (a.verb !== "create" && a.name !== node)
    return noOpinion("can only access node lease with the same name as the requesting node");
  return ALLOW;
}

/** A node may write only its own CSINode. The name of a created object is not known here; NodeRestriction checks it. */
function authorizeCsiNode(node: string, a: Attributes): Decision {
  if (!["get", "create", "update", "patch", "delete"].includes(a.verb))
    return noOpinion("can only get, create, update, patch, or delete a CSINode");
  if (a.subresource !== "") return noOpinion("cannot authorize CSINode subresources");
  return a.verb === "create" || a.name === node
    ? ALLOW
    : noOpinion("can only access CSINode with the same name as the requesting node");
}

/**
 * Mode Node: allows each node agent to read what the pods on its node refer to. All other permissions of a node are in `nodeRules` (those
 * of ClusterRole system:node). The NodeRestriction plugin restricts writes further, because it sees the objects.
 */
export function nodeAuthorizer(graph: NodeGraph, nodeRules: readonly rbac.PolicyRule[]): Authorizer {
  return {
    authorize(a): Decision {
      const node = nodeOf(a.user);
      if (node === undefined)
        return isUnnamedNode(a.user) ? noOpinion(`unknown node for user "${a.user.name}"`) : noOpinion();
      if (a.resourceRequest) {
        switch (a.apiGroup === "" ? a.resource : `${a.resource}.${a.apiGroup}`) {
          case "secrets":
          case "configmaps":
            return authorizeRead(graph, node, a);
          case "persistentvolumeclaims":
            return authorizeClaim(graph, node, a);
          case "persistentvolumes":
          case "resourceclaims.resource.o8s.io":
          case "volumeattachments.storage.o8s.io":
            return authorizeGet(graph, node, a);
          case "serviceaccounts":
            return authorizeToken(graph, node, a);
          case "leases.coordination.o8s.io":
            return authorizeLease(node, a);
          case "csinodes.storage.o8s.io":
            return authorizeCsiNode(node, a);
        }
      }
      return nodeRules.some((rule) => ruleAllows(rule, a)) ? ALLOW : noOpinion();
    },
  };
}

/** Keeps the graph up to date. Resolves when it contains all stored pods, volumes and attachments, or the signal aborts. */
export async function followNodeGraph(registry: Registry, graph: NodeGraph, signal: AbortSignal): Promise<void> {
  const synced = <T extends ApiObject>(
    store: ResourceStore<T>,
    onEvent: Parameters<ResourceStore<T>["follow"]>[0]["onEvent"],
  ): Promise<void> =>
    new Promise((resolve) => {
      store.follow({ onEvent, onSynced: resolve }, signal);
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  await Promise.all([
    synced(registry.forDefinition(core.pods), (event) => {
      // A pod without a node grants nothing, so its object need not be decoded.
      if (event.type === "DELETED" || event.fields["spec.nodeName"] === "")
        graph.deletePod(`${event.namespace}/${event.name}`);
      else graph.setPod(event.object);
    }),
    synced(registry.forDefinition(core.persistentVolumes), ({ type, object }) => {
      if (type === "DELETED") graph.deleteVolume(object.metadata.name ?? "");
      else graph.setVolume(object);
    }),
    synced(registry.forDefinition(storage.volumeAttachments), ({ type, object }) =>
      graph.setAttachment(object.metadata.name ?? "", type === "DELETED" ? undefined : object.spec.nodeName),
    ),
  ]);
}

/** Returns the name of the node whose agent a user is; undefined for other users. */
export function nodeOf(user: { readonly name: string; readonly groups: readonly string[] }): string | undefined {
  if (!user.name.startsWith(NODE_USER) || !user.groups.includes(NODE_GROUP)) return undefined;
  const name = user.name.slice(NODE_USER.length);
  return name === "" ? undefined : name;
}

const NODE_USER = "system:node:";
const NODE_GROUP = "system:nodes";

/** Whether a user is `system:node:` without a name. Other members of `system:nodes` that are not nodes are ordinary users. */
export function isUnnamedNode(user: { readonly name: string; readonly groups: readonly string[] }): boolean {
  return user.name === NODE_USER && user.groups.includes(NODE_GROUP);
}
