import { core } from "@orchernetes/api";
import { isAlreadyExists, isConflict, isNotFound } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import { hashAnnotation, isMirrorPod } from "../types/pod-identity.ts";

/** The mirror pod of a static pod: a copy that makes it visible on the API server. The Node owns it. */
export function mirrorOf(pod: core.Pod, node: { readonly name: string; readonly uid: string }): core.Pod {
  const { metadata } = pod;
  const hash = metadata.annotations?.[hashAnnotation] ?? "";
  return {
    kind: "Pod",
    apiVersion: "v1",
    metadata: {
      ...(metadata.name === undefined ? {} : { name: metadata.name }),
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      ...(metadata.labels === undefined ? {} : { labels: metadata.labels }),
      annotations: { ...metadata.annotations, [core.mirrorAnnotation]: hash },
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name: node.name, uid: node.uid, controller: true }],
    },
    spec: pod.spec,
    status: {},
  };
}

/**
 * Whether a pod of the API server represents a pod of this node: it is that pod, or the mirror pod of that version of
 * the static pod. The mirror pod of an earlier version has the same name, but another hash.
 */
export function showsStatusOf(shown: core.Pod, pod: core.Pod): boolean {
  if (!isMirrorPod(shown)) return shown.metadata.uid === pod.metadata.uid;
  return shown.metadata.annotations?.[core.mirrorAnnotation] === pod.metadata.annotations?.[hashAnnotation];
}

/**
 * Ensures that the API server has the mirror pod of this version of the static pod; the mirror pod of an earlier version is
 * replaced. A pod with the name that is not a mirror pod is left alone. Idempotent.
 *
 * @param shown the pod with this name on the API server
 * @returns whether a mirror pod was created
 */
export async function ensureMirror(
  client: Client,
  pod: core.Pod,
  shown: core.Pod | undefined,
  node: { readonly name: string; readonly uid: string },
): Promise<boolean> {
  const hash = pod.metadata.annotations?.[hashAnnotation];
  if (shown !== undefined) {
    if (!isMirrorPod(shown)) return false;
    const current = shown.metadata.annotations?.[core.mirrorAnnotation] === hash;
    if (current && shown.metadata.deletionTimestamp === undefined) return false;
    await deleteMirror(client, shown);
  }
  try {
    await client
      .resource(core.pods)
      .namespace(pod.metadata.namespace ?? "")
      .create(mirrorOf(pod, node));
    return true;
  } catch (error) {
    if (isAlreadyExists(error)) return false;
    throw error;
  }
}

/** Deletes a mirror pod without a grace period; this does not affect the static pod. Idempotent. */
export async function deleteMirror(client: Client, mirror: core.Pod): Promise<void> {
  const { name = "", namespace = "", uid = "" } = mirror.metadata;
  try {
    await client
      .resource(core.pods)
      .namespace(namespace)
      .delete(name, { gracePeriodSeconds: 0, preconditions: { uid } });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
