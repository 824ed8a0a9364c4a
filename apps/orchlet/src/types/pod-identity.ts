import { core } from "@orchernetes/api";
import { type ObjectReference, referenceTo } from "@orchernetes/client";

/** Name, namespace and uid of a pod: what it is known by on this node. */
export interface PodIdentity {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
}

/** Tells where a static pod comes from: `file`, `http`; pods of the API server: `api`. */
export const sourceAnnotation = "orchernetes.io/config.source";
/** Hash of a static pod; in its mirror pod too. */
export const hashAnnotation = "orchernetes.io/config.hash";
export const seenAnnotation = "orchernetes.io/config.seen";

/** Identity of a pod. A static pod's uid is the hash of its manifest. */
export function identityOf(pod: core.Pod): PodIdentity {
  const { uid = "", name = "", namespace = "default" } = pod.metadata;
  return { uid, name, namespace };
}

/** `name_namespace(uid)`: how messages name a pod. */
export function podText({ name, namespace, uid }: PodIdentity): string {
  return `${name}_${namespace}(${uid})`;
}

/** Whether a pod comes from a file or an address of this node, rather than from the API server. */
export function isStaticPod(pod: core.Pod): boolean {
  const source = pod.metadata.annotations?.[sourceAnnotation];
  return source !== undefined && source !== "api";
}

/** Whether a pod of the API server is the picture of a static pod. */
export function isMirrorPod(pod: core.Pod): boolean {
  return pod.metadata.annotations?.[core.mirrorAnnotation] !== undefined;
}

/** A pod as the object of an event; a container of it where `container` is given. */
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

/** In which list of the pod's spec a container is. */
export type ContainerKind = "init" | "regular" | "ephemeral";

/** A container with the list it is in. */
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
