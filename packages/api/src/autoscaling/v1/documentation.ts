import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of autoscaling/v1. */
export const documentation: TypeDocumentation = {
  HorizontalPodAutoscaler: {
    "": "Keeps the replicas of a workload between two bounds, depending on CPU use. What autoscaling/v2 can say beyond that is kept in annotations.",
    spec: "What is scaled, between which bounds and towards which use.",
    status: "What was last measured and decided. Written by orch-controller-manager.",
  },
  HorizontalPodAutoscalerSpec: {
    "": "Desired behaviour of an autoscaler.",
    scaleTargetRef: "The workload whose replicas are set, through its scale subresource. It is in the same namespace.",
    minReplicas:
      "Never fewer replicas than this. 0 needs the feature gate HPAScaleToZero and a metric of type Object or External. Default: 1.",
    maxReplicas: "Never more replicas than this. Not less than minReplicas.",
    targetCPUUtilizationPercentage:
      "CPU use to aim at, averaged over all pods, as a percentage of what they request. Default: 80 when no other metric is given.",
  },
  HorizontalPodAutoscalerStatus: {
    "": "What the autoscaler last saw and did.",
    observedGeneration: "The metadata.generation that this status refers to.",
    lastScaleTime: "When it last changed the number of replicas.",
    currentReplicas: "Replicas of the workload when last checked.",
    desiredReplicas: "Replicas that it last requested.",
    currentCPUUtilizationPercentage: "CPU use averaged over all pods, as a percentage of what they request.",
  },
  CrossVersionObjectReference: {
    "": "Names an object in the same namespace whose version does not matter.",
    kind: "Kind of the object, such as Deployment.",
    name: "Name of the object.",
    apiVersion: "Group and version of the object's API, such as apps/v1.",
  },
  Scale: {
    "": "The number of replicas of any workload that has some: read and written through its scale subresource.",
    metadata: "Name, namespace, UID, resourceVersion and creation time of the workload.",
    spec: "The number that is wanted.",
    status: "The number that there is.",
  },
  ScaleSpec: {
    "": "The wanted scale of a workload.",
    replicas: "How many replicas should run. Default: 0.",
  },
  ScaleStatus: {
    "": "The present scale of a workload.",
    replicas: "How many replicas there are.",
    selector:
      "Label selector of the workload's pods in its text form, as it can be given to a list call. Empty when the workload has none.",
  },
};
