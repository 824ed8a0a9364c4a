import type { rbac } from "@orchernetes/api";
import { core } from "@orchernetes/api";
import type { ApiObject } from "@orchernetes/apimachinery";
import type { Attributes, Authorizer, Decision, Registry, ResourceStore } from "@orchernetes/apiserver";
import { ruleAllows } from "../rbac/rule-match.ts";
import type { NodeGraph } from "./node-graph.ts";
import { isNodeGroupMember, nodeOf } from "./node-identity.ts";

const ALLOW: Decision = Object.freeze({ type: "Allow" });
const noOpinion = (reason?: string): Decision =>
  reason === undefined ? { type: "NoOpinion" } : { type: "NoOpinion", reason };

const READ = new Set(["get", "list", "watch"]);
const BY_REFERENCE = new Set(["secrets", "configmaps", "persistentvolumeclaims", "persistentvolumes"]);

/** Secrets and the like are read one by one, and only by nodes whose pods name them. */
function authorizeReference(graph: NodeGraph, node: string, a: Attributes): Decision {
  const asksStatus =
    a.resource === "persistentvolumeclaims" &&
    a.subresource === "status" &&
    (a.verb === "update" || a.verb === "patch");
  if (!asksStatus && (!READ.has(a.verb) || a.subresource !== ""))
    return noOpinion(`can only read resources of this type`);
  if (a.name === "") return noOpinion("No Object name found");
  if (graph.mayRead(node, a.resource, a.namespace, a.name)) return ALLOW;
  return noOpinion(`no relationship found between node '${node}' and this object`);
}

function authorizeToken(graph: NodeGraph, node: string, a: Attributes): Decision {
  if (a.verb !== "create" || a.subresource !== "token")
    return noOpinion("can only create tokens for individual service accounts");
  if (a.name === "") return noOpinion("No Object name found");
  return graph.mayRead(node, "serviceaccounts", a.namespace, a.name)
    ? ALLOW
    : noOpinion(`no relationship found between node '${node}' and this object`);
}

function authorizeLease(node: string, a: Attributes): Decision {
  if (!["get", "create", "update", "patch", "delete"].includes(a.verb))
    return noOpinion("can only get, create, update, patch, or delete a node lease");
  if (a.namespace !== "orch-node-lease")
    return noOpinion(`can only access leases in the "orch-node-lease" system namespace`);
  if (a.verb !== "create" && a.name !== node)
    return noOpinion("can only access node lease with the same name as the requesting node");
  return ALLOW;
}

function authorizeCsiNode(node: string, a: Attributes): Decision {
  if (!["get", "create", "update", "patch", "delete"].includes(a.verb))
    return noOpinion("can only get, create, update, patch, or delete a CSINode");
  if (a.subresource !== "") return noOpinion("cannot authorize CSINode subresources");
  return a.verb === "create" || a.name === node
    ? ALLOW
    : noOpinion("can only access CSINode with the same name as the requesting node");
}

/**
 * Mode Node: gives each node agent what it needs for the pods bound to it. Whatever else a node may do stands in
 * `nodeRules` (the rules of the role system:node); changes are confined further by the NodeRestriction plugin.
 */
export function nodeAuthorizer(graph: NodeGraph, nodeRules: readonly rbac.PolicyRule[]): Authorizer {
  return {
    authorize(a): Decision {
      const node = nodeOf(a.user);
      if (node === undefined)
        return isNodeGroupMember(a.user) ? noOpinion(`unknown node for user "${a.user.name}"`) : noOpinion();
      if (a.resourceRequest) {
        if (a.apiGroup === "" && BY_REFERENCE.has(a.resource)) return authorizeReference(graph, node, a);
        if (a.apiGroup === "" && a.resource === "serviceaccounts") return authorizeToken(graph, node, a);
        if (a.apiGroup === "coordination.o8s.io" && a.resource === "leases") return authorizeLease(node, a);
        if (a.apiGroup === "storage.o8s.io" && a.resource === "csinodes") return authorizeCsiNode(node, a);
      }
      return nodeRules.some((rule) => ruleAllows(rule, a)) ? ALLOW : noOpinion();
    },
  };
}

/** Keeps the graph up to date; resolves when it knows every pod and volume there is. */
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
      // A pod without a node gives no rights: it need not be decoded to be passed over.
      if (event.type === "DELETED" || event.fields["spec.nodeName"] === "")
        graph.deletePod(`${event.namespace}/${event.name}`);
      else graph.setPod(event.object);
    }),
    synced(registry.forDefinition(core.persistentVolumes), ({ type, object }) => {
      const claim = type === "DELETED" ? undefined : object.spec.claimRef;
      graph.setVolume(object.metadata.name, claim && `${claim.namespace ?? ""}/${claim.name ?? ""}`);
    }),
  ]);
}
