import { core } from "@orchernetes/api";
import { decoderFor, type Stored } from "@orchernetes/apimachinery";
import { type Client, createInformer, dropManagedFields, type Informer } from "@orchernetes/client";
import type { Logger } from "@orchernetes/kernel";
import { sourceAnnotation } from "../types/pod-identity.ts";

/** The informer of the pods that are bound to this node, including mirror pods. */
export function podInformer(client: Client, nodeName: string, logger: Logger): Informer<core.Pod> {
  const decoder = decoderFor(core.Pod);
  return createInformer(client, core.pods, {
    fieldSelector: `spec.nodeName=${nodeName}`,
    logger,
    // Fills in fields that the server omits, once per change and not in each reader. Managed fields only take memory.
    transform: (pod) => withTrueSource(decoder.decode(dropManagedFields(pod)) as Stored<core.Pod>),
  });
}

/**
 * Users who may create pods may annotate them: a pod of the API server must not count as static, because static pods are critical.
 */
function withTrueSource(pod: Stored<core.Pod>): Stored<core.Pod> {
  const { metadata } = pod;
  if (metadata.annotations?.[sourceAnnotation] === undefined) return pod;
  return { ...pod, metadata: { ...metadata, annotations: { ...metadata.annotations, [sourceAnnotation]: "api" } } };
}
