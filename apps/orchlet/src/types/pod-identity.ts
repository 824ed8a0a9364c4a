import { core } from "@orchernetes/api";
import { type ObjectReference, referenceTo } from "@orchernetes/client";
import { podPriority, systemCriticalPriority } from "@orchernetes/component-helpers";

/** Name, namespace and uid of a pod, which identify it on this node. */
export interface PodIdentity {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
}

/** Source of a pod: `file` or `http` for static pods, `api` for pods of the API server. */
export const sourceAnnotation = "orchernetes.io/config.source";
/** Hash of a static pod; its mirror pod has it, too. */
export const hashAnnotation = "orchernetes.io/config.hash";
/** Time when the agent first saw a static pod, in RFC 3339. */
export const seenAnnotation = "orchernetes.io/config.seen";

/** Identity of a pod. A static pod's uid is the hash of its manifest. */
export function identityOf(pod: core.Pod): PodIdentity {
  const { uid = "", name = "", namespace = "default" } = pod.metadata;
  return { uid, name, namespace };
}

/** The name of a pod in messages: `name_namespace(uid)`. */
export function podText({ name, namespace, uid }: PodIdentity): string {
  return `${name}_${namespace}(${uid})`;
}

/** Whether a pod comes from a file or URL of this node and not from the API server. */
export function isStaticPod(pod: core.Pod): boolean {
  const source = pod.metadata.annotations?.[sourceAnnotation];
  return source !== undefined && source !== "api";
}

/** Whether a pod of the API server is the mirror pod of a static pod. */
export function isMirrorPod(pod: core.Pod): boolean {
  return pod.metadata.annotations?.[core.mirrorAnnotation] !== undefined;
}

/**
 * Whether the node must run the pod even if it is short of resources: static pods, their mirror pods, and pods with a
 * system priority class.
 */
export function isCriticalPod(pod: core.Pod): boolean {
  return isStaticPod(pod) || isMirrorPod(pod) || podPriority(pod.spec) >= systemCriticalPriority;
}

/** The reference to a pod, or to one of its containers, as the object of an event. */
export function podReference(
  pod: core.Pod,
  container?: { readonly kind: ContainerKind; readonly name: string },
): ObjectReference {
  const lists: Readonly<Record<ContainerKind, string>> = {
    init: "initContainers",
    regular: "containers",
    ephemeral: "ephemeralContainers",
  };
  return referenceTo(
    core.pods,
    pod,
    container === undefined ? undefined : `spec.${lists[container.kind]}{${container.name}}`,
  );
}

/** The list of the pod's spec that contains a container. */
export type ContainerKind = "init" | "regular" | "ephemeral";

/** A container with its kind. */
export interface ContainerRef {
  readonly kind: ContainerKind;
  readonly container: core.Container;
}

/** Every container of a pod, in the order in which they start. */
export function allContainers({ spec }: core.Pod): readonly ContainerRef[] {
  return [
    ...(spec.initContainers ?? []).map((container): ContainerRef => ({ kind: "init", container })),
    ...spec.containers.map((container): ContainerRef => ({ kind: "regular", container })),
    ...(spec.ephemeralContainers ?? []).map((container): ContainerRef => ({ kind: "ephemeral", container })),
  ];
}
