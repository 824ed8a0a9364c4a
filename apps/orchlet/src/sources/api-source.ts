import { core } from "@orchernetes/api";
import { decoderFor, type Stored } from "@orchernetes/apimachinery";
import { type Client, createInformer, dropManagedFields, type Informer } from "@orchernetes/client";
import type { Logger } from "@orchernetes/kernel";

/** The pods that the API server has bound to this node, mirror pods among them. */
export function podInformer(client: Client, nodeName: string, logger: Logger): Informer<core.Pod> {
  const decoder = decoderFor(core.Pod);
  return createInformer(client, core.pods, {
    fieldSelector: `spec.nodeName=${nodeName}`,
    logger,
    // What the server leaves out is filled in once, here.
    transform: (pod) => decoder.decode(dropManagedFields(pod)) as Stored<core.Pod>,
  });
}
