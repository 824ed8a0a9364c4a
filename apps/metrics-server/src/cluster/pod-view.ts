import type { core } from "@orchernetes/api";
import type { ApiObject, Stored } from "@orchernetes/apimachinery";
import type { ResourceRef } from "@orchernetes/client";

/** What is kept of a pod. */
export interface PodView extends ApiObject {
  /** Name of its node; "" if it has none. */
  readonly node: string;
  /** Names of its containers of all kinds. */
  readonly containers: readonly string[];
}

export const podViews: ResourceRef<PodView> = {
  group: "",
  version: "v1",
  plural: "pods",
  kind: "Pod",
  scope: "Namespaced",
};

/** Reduces a pod to what this server needs of it. */
export function podView(object: Stored<PodView>): Stored<PodView> {
  const { metadata, spec } = object as unknown as Stored<core.Pod>;
  const { name, namespace, uid, resourceVersion, creationTimestamp, labels } = metadata;
  const all = [...spec.containers, ...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])];
  return {
    metadata: {
      name,
      ...(namespace && { namespace }),
      uid,
      resourceVersion,
      creationTimestamp,
      ...(labels && { labels }),
    },
    node: spec.nodeName ?? "",
    containers: all.map((container) => container.name),
  };
}
