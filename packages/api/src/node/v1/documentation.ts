import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of node.o8s.io/v1. */
export const documentation: TypeDocumentation = {
  RuntimeClass: {
    "": "A way to run containers, such as in small virtual machines. Pods refer to it by runtimeClassName.",
    handler:
      "Name under which the container runtime of the nodes has this way configured, a lower-case label. Can't be changed.",
    overhead: "What a pod needs beyond its containers. Admission copies it into the pods.",
    scheduling: "Which nodes offer this way. Default: all.",
  },
  Overhead: {
    "": "What running a pod costs beyond its containers.",
    podFixed: "Amount of each resource per pod. It is counted in scheduling, quotas and the pod's cgroup.",
  },
  Scheduling: {
    "": "Where pods of a RuntimeClass can run.",
    nodeSelector:
      "Labels that a node must have. Admission adds them to those of the pod, and rejects the pod when they contradict.",
    tolerations: "Taints of those nodes that the pods tolerate. Admission adds them to those of the pod.",
  },
};
