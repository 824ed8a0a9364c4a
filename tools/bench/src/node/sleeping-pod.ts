import type { core } from "@orchernetes/api";
import type { Manifest } from "@orchernetes/client";

/** Namespace of the pods that are started. */
export const NAMESPACE = "bench";

/** A pod of the node that does nothing, with a token of its service account as most pods have it. It ends at once when it is deleted. */
export const sleepingPod = (name: string, nodeName: string): Manifest<core.Pod> => ({
  metadata: { name, namespace: NAMESPACE },
  spec: {
    nodeName,
    terminationGracePeriodSeconds: 0,
    containers: [
      { name: "main", image: "localhost/busybox:1", imagePullPolicy: "IfNotPresent", command: ["sleep", "3600"] },
    ],
  },
});
