import { core } from "@orchernetes/api";
import { decoderFor, type Stored } from "@orchernetes/apimachinery";
import { type Client, createInformer, dropManagedFields, type Informer } from "@orchernetes/client";
import type { Logger } from "@orchernetes/kernel";

/** The informer of the pods that are bound to this node, including mirror pods. */
export function podInformer(client: Client, nodeName: string, logger: Logger): Informer<core.Pod> {
  const decoder = decoderFor(core.Pod);
  return createInformer(client, core.pods, {
    fieldSelector: `spec.nodeName=${nodeName}`,
    logger,
    // Fills in fields that the server omits, once per change and not in each reader. Managed fields only take memory.
    transform: (pod) => decoder.decode(dropManagedFields(pod)) as Stored<core.Pod>,
  });
}
