import { core } from "@orchernetes/api";
import type { ApiError } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext, AdmissionPlugin } from "@orchernetes/apiserver";
import { isUnnamedNode, nodeOf } from "../../authorization/node/node-authorizer.ts";
import { objectsAs, refusal } from "../shared/attributes.ts";
import { isSame } from "../shared/is-same.ts";
import type { ConfiguredPlugin } from "../shared/plugin.ts";
import { checkMirrorPod } from "./mirror-pod.ts";
import { forbiddenLabels } from "./node-labels.ts";

/** Makes the error of a rejected write; its message begins with the resource and the name of the object. */
type Refuse = (detail: string) => ApiError;

const refusalOf =
  (attributes: AdmissionAttributes): Refuse =>
  (detail) =>
    refusal(attributes, detail);

/** Name of the written object; on create only the object has it. */
const targetOf = ({ name, object, oldObject }: AdmissionAttributes): string =>
  name || object?.metadata.name || oldObject?.metadata.name || "";

function checkNode(node: string, attributes: AdmissionAttributes): void {
  const { operation } = attributes;
  const { object, oldObject } = objectsAs<core.Node>(attributes);
  const refuse = refusalOf(attributes);
  const target = targetOf(attributes);
  if (target !== node) throw refuse(`node "${node}" is not allowed to modify node "${target}"`);
  if (object === undefined || operation === "DELETE" || operation === "CONNECT") return;
  const created = operation === "CREATE";
  // A node reads what its configuration source names.
  const { configSource } = object.spec;
  if (created && configSource) throw refuse(`node "${node}" is not allowed to create pods with a non-nil configSource`);
  if (configSource && !isSame(configSource, oldObject?.spec.configSource))
    throw refuse(`node "${node}" is not allowed to update configSource to a new non-nil configSource`);
  // Changing its taints or labels would let a node attract workloads. On create there is nothing to compare with.
  if (!created && !isSame(object.spec.taints ?? [], oldObject?.spec.taints ?? []))
    throw refuse(`node "${node}" is not allowed to modify taints`);
  const labels = forbiddenLabels(object.metadata.labels, oldObject?.metadata.labels).join(", ");
  if (labels !== "")
    throw refuse(
      created
        ? `node "${node}" is not allowed to set the following labels: ${labels}`
        : `is not allowed to modify labels: ${labels}`,
    );
  // With a missing owner, the Node object would be garbage collected, and the node could create it again with taints and labels of its choice.
  if (!isSame(object.metadata.ownerReferences ?? [], oldObject?.metadata.ownerReferences ?? []))
    throw refuse(`node "${node}" is not allowed to ${created ? "set" : "modify"} ownerReferences`);
}

async function podOf(attributes: AdmissionAttributes, context: AdmissionContext): Promise<core.Pod> {
  const { oldObject, namespace, kind } = attributes;
  if (oldObject !== undefined && kind.kind === "Pod") return oldObject as core.Pod;
  const store = context.registry.forDefinition(core.pods);
  const ref = { namespace, name: targetOf(attributes) };
  return store.cached(ref) ?? store.get(ref, { signal: context.signal });
}

async function checkPod(node: string, attributes: AdmissionAttributes, context: AdmissionContext): Promise<void> {
  const { operation, subresource } = attributes;
  const refuse = refusalOf(attributes);
  // exec, attach and the like write nothing; authorization decides about them.
  if (operation === "CONNECT") return;
  switch (subresource) {
    case "":
      if (operation === "CREATE") return checkMirrorPod(node, attributes, context);
      if (operation !== "DELETE")
        throw refuse(`unexpected operation "${operation}", node "${node}" can only create and delete mirror pods`);
      if ((await podOf(attributes, context)).spec.nodeName !== node)
        throw refuse(`node "${node}" can only delete pods with spec.nodeName set to itself`);
      return;
    case "status":
      return checkPodStatus(node, attributes, refuse);
    case "eviction":
      if (operation !== "CREATE") throw refuse(`unexpected operation ${operation}`);
      if ((await podOf(attributes, context)).spec.nodeName !== node)
        throw refuse(`node ${node} can only evict pods with spec.nodeName set to itself`);
      return;
    default:
      throw refuse(`unexpected pod subresource "${subresource}", only 'status' and 'eviction' are allowed`);
  }
}

function checkPodStatus(node: string, attributes: AdmissionAttributes, refuse: Refuse): void {
  const { object, oldObject } = objectsAs<core.Pod>(attributes);
  if (attributes.operation !== "UPDATE") throw refuse(`unexpected operation "${attributes.operation}"`);
  if (oldObject?.spec.nodeName !== node)
    throw refuse(`node "${node}" can only update pod status for pods with spec.nodeName set to itself`);
  if (!isSame(object?.metadata.labels ?? {}, oldObject.metadata.labels ?? {}))
    throw refuse(`node "${node}" cannot update labels through pod status`);
}

/** Status fields of a claim that a node may change. */
const CLAIM_STATUS = ["capacity", "conditions"] as const;
/** With gate RecoverVolumeExpansionFailure. */
const EXPANSION_STATUS = ["allocatedResources", "resizeStatus"] as const;

function checkClaim(node: string, attributes: AdmissionAttributes, expansionRecovery: boolean): void {
  const refuse = refusalOf(attributes);
  if (attributes.subresource !== "status") throw refuse("may only update PVC status");
  if (attributes.operation !== "UPDATE") throw refuse(`unexpected operation "${attributes.operation}"`);
  const own: readonly string[] = expansionRecovery ? [...CLAIM_STATUS, ...EXPANSION_STATUS] : CLAIM_STATUS;
  const { object, oldObject } = objectsAs<core.PersistentVolumeClaim>(attributes);
  // No metadata either: a node must not relabel claims, or give them finalizers and owners.
  if (!isSame(withoutStatus(object, own), withoutStatus(oldObject, own)))
    throw refuse(`node "${node}" is not allowed to update fields other than status.capacity and status.conditions`);
}

/** A claim without the fields that a node may change or that every update changes. */
function withoutStatus(claim: core.PersistentVolumeClaim | undefined, fields: readonly string[]): unknown {
  if (claim === undefined) return undefined;
  const { resourceVersion: _version, managedFields: _managed, ...metadata } = claim.metadata;
  const status = Object.entries(claim.status ?? {}).filter(([field]) => !fields.includes(field));
  return { metadata, spec: claim.spec, status: Object.fromEntries(status) };
}

/** A node may request only tokens for service accounts of its own pods, bound to such a pod. */
async function checkToken(node: string, attributes: AdmissionAttributes, context: AdmissionContext): Promise<void> {
  const { spec } = attributes.object as unknown as {
    spec?: { boundObjectRef?: { kind?: string; apiVersion?: string; name?: string; uid?: string } };
  };
  const refuse = refusalOf(attributes);
  const bound = spec?.boundObjectRef;
  if (bound === undefined || bound.kind !== "Pod" || bound.apiVersion !== "v1" || !bound.name)
    throw refuse("node requested token not bound to a pod");
  if (!bound.uid) throw refuse("node requested token with a pod binding without a uid");
  const pods = context.registry.forDefinition(core.pods);
  const ref = { namespace: attributes.namespace, name: bound.name };
  const pod = pods.cached(ref) ?? (await pods.get(ref, { signal: context.signal }));
  if (pod.metadata.uid !== bound.uid)
    throw refuse(
      `the UID in the bound object reference (${bound.uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  if (pod.spec.nodeName !== node) throw refuse("node requested token bound to a pod scheduled on a different node");
}

const NODE_LEASES = "orch-node-lease";

function checkLease(node: string, attributes: AdmissionAttributes): void {
  const refuse = refusalOf(attributes);
  if (attributes.namespace !== NODE_LEASES)
    throw refuse(`can only access leases in the "${NODE_LEASES}" system namespace`);
  if (targetOf(attributes) !== node)
    throw refuse("can only access node lease with the same name as the requesting node");
}

function checkCsiNode(node: string, attributes: AdmissionAttributes): void {
  if (targetOf(attributes) !== node)
    throw refusalOf(attributes)("can only access CSINode with the same name as the requesting node");
}

/**
 * Plugin NodeRestriction: a node identity changes only its own Node, Lease and CSINode objects, the status of claims, and the
 * pods bound to it; the pods that it creates reference no API object.
 *
 * @param expansionRecovery gate RecoverVolumeExpansionFailure
 */
export function nodeRestriction(expansionRecovery: boolean): AdmissionPlugin {
  return {
    name: "NodeRestriction",
    handles: () => true,
    validate(attributes, context) {
      const node = nodeOf(attributes.user);
      if (node === undefined) {
        if (!isUnnamedNode(attributes.user)) return;
        throw refusalOf(attributes)(`could not determine node from user "${attributes.user.name}"`);
      }
      const { group, resource } = attributes.resource;
      switch (group === "" ? resource : `${resource}.${group}`) {
        case "pods":
          return checkPod(node, attributes, context);
        case "nodes":
          return checkNode(node, attributes);
        case "persistentvolumeclaims":
          return checkClaim(node, attributes, expansionRecovery);
        case "serviceaccounts":
          if (attributes.subresource !== "token" || attributes.operation !== "CREATE") return;
          return checkToken(node, attributes, context);
        case "leases.coordination.o8s.io":
          return checkLease(node, attributes);
        case "csinodes.storage.o8s.io":
          return checkCsiNode(node, attributes);
      }
    },
  };
}

/** {@link nodeRestriction} as the feature gates have it. */
export const nodeRestrictionPlugin: ConfiguredPlugin = {
  name: "NodeRestriction",
  create: ({ featureEnabled }) => nodeRestriction(featureEnabled("RecoverVolumeExpansionFailure")),
};
