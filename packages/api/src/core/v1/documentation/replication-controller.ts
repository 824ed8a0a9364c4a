import type { TypeDocumentation } from "@orchernetes/apimachinery";
import {
  conditionMessage,
  conditionReason,
  conditionStatus,
  conditionTransition,
  listMetadata,
  objectMetadata,
} from "./phrases.ts";

/** Texts of pod templates and replication controllers. */
export const documentation: TypeDocumentation = {
  PodTemplateSpec: {
    "": "Description of the pods that are created from a template.",
    metadata:
      "Labels and annotations that each pod gets. The labels must match the selector of the controller that owns the template.",
    spec: "How each pod is to run.",
  },
  PodTemplate: {
    "": "A stored description of pods. No controller of the cluster creates pods from it; workload objects carry their own templates.",
    metadata: objectMetadata,
    template: "The pods that the template describes.",
  },
  PodTemplateList: {
    "": "A list of pod templates.",
    metadata: listMetadata,
    items: "The pod templates.",
  },
  ReplicationController: {
    "": "Keeps a fixed number of identical pods running. Deployments, which manage replica sets, should be used instead.",
    metadata: `${objectMetadata} Labels are those of the pod template if none are given.`,
    spec: "How many pods to run, and what they look like.",
    status: "What the controller last saw. It may be slightly out of date.",
  },
  ReplicationControllerSpec: {
    "": "How many pods to run, and what they look like.",
    replicas: "How many pods to run. 0 is allowed. Default 1.",
    minReadySeconds:
      "Seconds that a new pod must be ready without any container failing before it counts as available. Default 0.",
    selector:
      "Labels that the controller finds its pods by. Defaults to the labels of the template, and must match them.",
    template:
      "What the pods look like. Its restartPolicy must be Always. A change affects only pods that are created later.",
  },
  ReplicationControllerStatus: {
    "": "What the controller last saw of its pods.",
    replicas: "How many pods there are.",
    fullyLabeledReplicas: "How many pods have all labels of the template.",
    readyReplicas: "How many pods are ready.",
    availableReplicas: "How many pods have been ready for at least minReadySeconds.",
    observedGeneration: "The metadata.generation that these numbers belong to.",
    conditions: "Findings of the controller.",
  },
  ReplicationControllerCondition: {
    "": "One finding about a replication controller.",
    type: "What was found. ReplicaFailure is the only type: a pod could not be created or deleted.",
    status: conditionStatus,
    lastTransitionTime: conditionTransition,
    reason: conditionReason,
    message: conditionMessage,
  },
  ReplicationControllerList: {
    "": "A list of replication controllers.",
    metadata: listMetadata,
    items: "The replication controllers.",
  },
};
