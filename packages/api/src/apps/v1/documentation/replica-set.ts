import type { TypeDocumentation } from "@orchernetes/apimachinery";

export const replicaSetDocumentation: TypeDocumentation = {
  ReplicaSet: {
    "": "A number of equal pods that is kept running: missing ones are created, surplus ones deleted. Usually made by a Deployment rather than by hand.",
    spec: "The pods that are wanted.",
    status: "The pods that there are. Written by orch-controller-manager; may lag behind.",
  },
  ReplicaSetSpec: {
    "": "The wanted state of a ReplicaSet.",
    replicas: "How many pods should run; 0 is allowed. Default: 1.",
    minReadySeconds:
      "Seconds that a pod must be ready without a break before it counts as available. Default: 0, at once.",
    selector:
      "Which pods belong to the set; the labels of the template must match. Pods without a controller that match are adopted. Can't be changed.",
    template: "What new pods look like. A change of it does not touch pods that exist already.",
  },
  ReplicaSetStatus: {
    "": "What the replica set controller last saw.",
    replicas: "Pods that exist and are not being deleted.",
    fullyLabeledReplicas: "Those among them that have all labels of the template.",
    readyReplicas: "Those among them that are ready.",
    availableReplicas: "Those among them that have been ready for minReadySeconds.",
    observedGeneration: "The metadata.generation that this status is about.",
    conditions: "Summaries of the state; only ReplicaFailure is used.",
  },
  ReplicaSetCondition: {
    "": "One aspect of a ReplicaSet's state.",
    type: "Which aspect. ReplicaFailure: a pod could not be created, for instance because of a quota, or not deleted.",
    status: "True, False, or Unknown when nobody can tell.",
    lastTransitionTime: "When status last changed.",
    reason: "One CamelCase word that says why, for programs, such as FailedCreate.",
    message: "What happened, for people.",
  },
};
