import { core } from "@orchernetes/api";
import type { AdmissionAttributes, AdmissionContext } from "@orchernetes/apiserver";
import { podReferences } from "../../authorization/node/pod-references.ts";
import { refusal } from "../shared/attributes.ts";

/** Name of each kind of reference in error messages. */
const REFERENCES: Readonly<Record<string, string>> = {
  serviceaccounts: "a service account",
  secrets: "secrets",
  configmaps: "configmaps",
  persistentvolumeclaims: "persistentvolumeclaims",
  resourceclaims: "resourceclaims",
};

/**
 * Nodes create only their own mirror pods, without references to API objects: a pod that names an object lets its node read it.
 */
export async function checkMirrorPod(
  node: string,
  attributes: AdmissionAttributes,
  context: AdmissionContext,
): Promise<void> {
  const pod = attributes.object as core.Pod | undefined;
  const refuse = (detail: string) => refusal(attributes, detail);
  if (pod?.metadata.annotations?.[core.mirrorAnnotation] === undefined)
    throw refuse(`pod does not have "${core.mirrorAnnotation}" annotation, node "${node}" can only create mirror pods`);
  if (pod.spec.nodeName !== node) throw refuse(`node "${node}" can only create pods with spec.nodeName set to itself`);
  await checkOwner(node, pod, refuse, context);
  for (const reference of podReferences(pod)) {
    const resource = reference.slice(0, reference.indexOf("/"));
    throw refuse(`node "${node}" can not create pods that reference ${REFERENCES[resource] ?? resource}`);
  }
  for (const { projected } of pod.spec.volumes ?? [])
    if (projected?.sources?.some((source) => source.serviceAccountToken))
      throw refuse(`node "${node}" can not create pods that reference a service account`);
}

/** The one owner of a mirror pod is its node, the one that exists now. */
async function checkOwner(
  node: string,
  pod: core.Pod,
  refuse: (detail: string) => Error,
  { registry, signal }: AdmissionContext,
): Promise<void> {
  const owners = pod.metadata.ownerReferences ?? [];
  const [owner] = owners;
  if (owners.length > 1)
    throw refuse(`node "${node}" can only create pods with a single owner reference set to itself`);
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node)
    throw refuse(`node "${node}" can only create pods with an owner reference set to itself`);
  if (owner.controller !== true)
    throw refuse(`node "${node}" can only create pods with a controller owner reference set to itself`);
  if (owner.blockOwnerDeletion) throw refuse(`node "${node}" must not set blockOwnerDeletion on an owner reference`);
  const nodes = registry.forDefinition(core.nodes);
  const ref = { namespace: "", name: node };
  const cached = nodes.cached(ref);
  // The cache may lag behind a node that was registered a moment ago.
  const { metadata } = cached?.metadata.uid === owner.uid ? cached : await nodes.get(ref, { signal });
  if (metadata.uid !== owner.uid)
    throw refuse(`node ${node} UID mismatch: expected ${owner.uid} got ${metadata.uid ?? ""}`);
}
