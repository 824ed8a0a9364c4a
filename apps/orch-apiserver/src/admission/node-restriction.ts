import { core } from "@orchernetes/api";
import { type ApiError, forbidden } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext, AdmissionPlugin } from "@orchernetes/apiserver";
import { isNodeGroupMember, nodeOf } from "../authorization/node/node-identity.ts";
import { isAbout, objectsAs } from "./attributes.ts";

const MIRROR_ANNOTATION = "orchernetes.io/config.mirror";
const PODS = { group: "", plural: "pods" };
const NODES = { group: "", plural: "nodes" };

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** Labels of our own domains that a node may set on itself. */
const NODE_MAY_SET = new Set([
  "orchernetes.io/hostname",
  "orchernetes.io/os",
  "orchernetes.io/arch",
  "node.orchernetes.io/instance-type",
  "beta.orchernetes.io/instance-type",
  "beta.orchernetes.io/os",
  "beta.orchernetes.io/arch",
  "topology.orchernetes.io/region",
  "topology.orchernetes.io/zone",
  "failure-domain.beta.orchernetes.io/region",
  "failure-domain.beta.orchernetes.io/zone",
]);
const NODE_MAY_SET_BELOW = ["orchlet.orchernetes.io/", "node.orchernetes.io/"];

function isForbiddenLabel(key: string): boolean {
  const slash = key.indexOf("/");
  if (slash === -1) return false;
  const domain = key.slice(0, slash);
  if (domain === "node-restriction.orchernetes.io" || domain.endsWith(".node-restriction.orchernetes.io")) return true;
  const ours = ["orchernetes.io", "o8s.io"].some((d) => domain === d || domain.endsWith(`.${d}`));
  return ours && !NODE_MAY_SET.has(key) && !NODE_MAY_SET_BELOW.some((prefix) => key.startsWith(prefix));
}

function changedLabels(object: core.Node, oldObject: core.Node | undefined): readonly string[] {
  const now = object.metadata.labels ?? {};
  const before = oldObject?.metadata.labels ?? {};
  return [...new Set([...Object.keys(now), ...Object.keys(before)])].filter((key) => now[key] !== before[key]);
}

function checkNode(node: string, attributes: AdmissionAttributes): void {
  const { operation, name } = attributes;
  const { object, oldObject } = objectsAs<core.Node>(attributes);
  const refuse = (detail: string) => forbidden(NODES, name, detail);
  const target = name || object?.metadata.name || "";
  if (target !== node) throw refuse(`node "${node}" is not allowed to modify node "${target}"`);
  if (object === undefined || operation === "DELETE") return;
  if (operation === "CREATE" && object.spec.configSource)
    throw refuse("is not allowed to create pods with a non-nil configSource");
  const bad = changedLabels(object, oldObject).filter(isForbiddenLabel).sort();
  if (bad.length > 0)
    throw refuse(
      operation === "CREATE"
        ? `is not allowed to set the following labels: ${bad.join(", ")}`
        : `is not allowed to modify labels: ${bad.join(", ")}`,
    );
  if (operation === "UPDATE" && attributes.subresource === "") {
    if (!same(object.spec.taints, oldObject?.spec.taints))
      throw refuse(`node "${node}" is not allowed to modify taints`);
    if (
      object.metadata.ownerReferences?.length &&
      !same(object.metadata.ownerReferences, oldObject?.metadata.ownerReferences)
    )
      throw refuse(`node "${node}" is not allowed to modify ownerReferences`);
  }
}

/** Nodes create only mirror pods of their own, which lean on no API object. */
function checkPodCreate(node: string, attributes: AdmissionAttributes): void {
  const { object: pod } = objectsAs<core.Pod>(attributes);
  if (pod === undefined) return;
  const refuse = (detail: string) => forbidden(PODS, attributes.name, detail);
  if (pod.metadata.annotations?.[MIRROR_ANNOTATION] === undefined)
    throw refuse(`pod does not have "${MIRROR_ANNOTATION}" annotation, node "${node}" can only create mirror pods`);
  if (pod.spec.nodeName !== node) throw refuse(`node "${node}" can only create pods with spec.nodeName set to itself`);
  const owners = pod.metadata.ownerReferences ?? [];
  if (owners.length > 1)
    throw refuse(`node "${node}" can only create pods with a single owner reference set to itself`);
  for (const owner of owners) {
    if (owner.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node)
      throw refuse(`node "${node}" can only create pods with an owner reference set to itself`);
    if (owner.controller !== true)
      throw refuse(`node "${node}" can only create pods with a controller owner reference set to itself`);
    if (owner.blockOwnerDeletion) throw refuse(`node "${node}" must not set blockOwnerDeletion on an owner reference`);
  }
  if (pod.spec.serviceAccountName) throw refuse(`node "${node}" can not create pods that reference a service account`);
  for (const { secret, configMap, persistentVolumeClaim, projected } of pod.spec.volumes ?? [])
    if (secret || configMap || persistentVolumeClaim || projected)
      throw refuse(`node "${node}" can not create pods that reference secrets, configmaps or persistentvolumeclaims`);
}

async function storedPod(attributes: AdmissionAttributes, context: AdmissionContext): Promise<core.Pod | undefined> {
  const store = context.registry.forDefinition(core.pods);
  const ref = { namespace: attributes.namespace, name: attributes.name };
  return store.cached(ref) ?? (await store.get(ref, { signal: context.signal }).catch(() => undefined));
}

async function checkPod(node: string, attributes: AdmissionAttributes, context: AdmissionContext): Promise<void> {
  const { operation, subresource, name } = attributes;
  const refuse = (detail: string) => forbidden(PODS, name, detail);
  if (subresource === "eviction" || (subresource === "" && operation === "DELETE")) {
    const verb = subresource === "eviction" ? "evict" : "delete";
    const pod = (attributes.oldObject as core.Pod | undefined) ?? (await storedPod(attributes, context));
    if (pod !== undefined && pod.spec.nodeName !== node)
      throw refuse(`node "${node}" can only ${verb} pods with spec.nodeName set to itself`);
    return;
  }
  if (subresource === "status") {
    const { object, oldObject } = objectsAs<core.Pod>(attributes);
    if (oldObject?.spec.nodeName !== node)
      throw refuse(`node "${node}" can only update pod status for pods with spec.nodeName set to itself`);
    if (!same(object?.metadata.labels, oldObject?.metadata.labels))
      throw refuse(`node "${node}" cannot update labels through pod status`);
    return;
  }
  if (subresource === "" && operation === "CREATE") return checkPodCreate(node, attributes);
  if (operation !== "CONNECT")
    throw refuse(`unexpected operation "${operation}", node "${node}" can only create and delete mirror pods`);
}

/** A node asks for tokens only of accounts of its own pods, bound to such a pod. */
async function checkToken(node: string, attributes: AdmissionAttributes, context: AdmissionContext): Promise<void> {
  const { spec } = attributes.object as unknown as {
    spec?: { boundObjectRef?: { kind?: string; apiVersion?: string; name?: string; uid?: string } };
  };
  const refuse = (detail: string): ApiError =>
    forbidden({ group: "", plural: "serviceaccounts" }, attributes.name, detail);
  const bound = spec?.boundObjectRef;
  if (bound === undefined) throw refuse("node requested token not bound to a pod");
  if (bound.kind !== "Pod" || bound.apiVersion !== "v1") throw refuse("node requested token not bound to a pod");
  if (!bound.uid) throw refuse("node requested token with a pod binding without a uid");
  const pods = context.registry.forDefinition(core.pods);
  const ref = { namespace: attributes.namespace, name: bound.name ?? "" };
  const pod = pods.cached(ref) ?? (await pods.get(ref, { signal: context.signal }));
  if (pod.metadata.uid !== bound.uid)
    throw refuse(
      `the UID in the bound object reference (${bound.uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  if (pod.spec.nodeName !== node) throw refuse("node requested token bound to a pod scheduled on a different node");
}

/** Plugin NodeRestriction: a node identity changes only its own Node, Lease and CSINode objects and the pods bound to it. */
export const nodeRestriction: AdmissionPlugin = {
  name: "NodeRestriction",
  handles: () => true,
  validate(attributes, context) {
    const node = nodeOf(attributes.user);
    if (node === undefined) {
      if (!isNodeGroupMember(attributes.user)) return;
      throw forbidden(
        { group: attributes.resource.group, plural: attributes.resource.resource },
        attributes.name,
        `could not determine node from user "${attributes.user.name}"`,
      );
    }
    const { group, resource } = attributes.resource;
    if (group === "" && resource === "pods") return checkPod(node, attributes, context);
    if (group === "" && resource === "nodes") return checkNode(node, attributes);
    if (isAbout(attributes, "", "serviceaccounts", "token")) return checkToken(node, attributes, context);
    const own =
      (group === "coordination.o8s.io" && resource === "leases") ||
      (group === "storage.o8s.io" && resource === "csinodes");
    const name = attributes.name || attributes.object?.metadata.name;
    if (own && attributes.operation !== "DELETE" && name !== node)
      throw forbidden(
        { group, plural: resource },
        attributes.name,
        `can only access ${resource === "leases" ? "node lease" : "CSINode"} with the same name as the requesting node`,
      );
  },
};
