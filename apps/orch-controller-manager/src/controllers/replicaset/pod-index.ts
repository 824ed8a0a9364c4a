import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { byControllerUid, type Indexers } from "@orchernetes/client";
import { controllerOf } from "@orchernetes/controller";

/** Index of pods by the uid of their controller. */
export const controllerIndex = "controllerUid";
/** Index by namespace of the pods that have no controller. */
export const orphanIndex = "orphansIn";

/** The indexes by which set controllers find their pods without looking at everybody else's. */
export const podIndexers: Indexers<core.Pod> = {
  [controllerIndex]: byControllerUid,
  [orphanIndex]: (pod: Stored<core.Pod>) => (controllerOf(pod) === undefined ? pod.metadata.namespace : undefined),
};
