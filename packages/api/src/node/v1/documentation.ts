import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of node.o8s.io/v1. */
export const documentation: TypeDocumentation = {
  RuntimeClass: {
    "": "A container runtime configuration, such as one that runs pods in virtual machines. Pods refer to it by runtimeClassName.",
    handler: "Name of the configuration in the container runtime of the nodes, a lower-case label. Can't be changed.",
    overhead: "Resources that a pod needs beyond its containers. Admission copies them into the pods.",
    scheduling: "Which nodes support this configuration. Default: all.",
  },
  Overhead: {
    "": "Resources that a pod needs beyond its containers.",
    podFixed: "Amount of each resource per pod. It is counted in scheduling, quotas and the pod's cgroup.",
  },
  Scheduling: {
    "": "Where pods of a RuntimeClass can run.",
    nodeSelector:
      "Labels that a node must have. Admission adds them to those of the pod, and rejects the pod if they conflict.",
    tolerations: "Taints of those nodes that the pods tolerate. Admission adds them to those of the pod.",
  },
};
