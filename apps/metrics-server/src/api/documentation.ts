import type { TypeDocumentation } from "@orchernetes/apimachinery";

const TIMESTAMP = "The end of the interval in which usage was measured.";
const WINDOW = "The length of the interval in which usage was measured; usage of CPU is its average.";

/** Texts of `kubectl explain` for `metrics.o8s.io/v1beta1`. */
export const documentation: TypeDocumentation = {
  ContainerMetrics: {
    "": "What a container uses.",
    name: "The name of the container in its pod.",
    usage: "The amounts of resources in use: cpu in cores, and memory (the working set) in bytes.",
  },
  NodeMetrics: {
    "": "What a node uses.",
    timestamp: TIMESTAMP,
    window: WINDOW,
    usage: "The amounts of resources in use: cpu in cores, and memory (the working set) in bytes.",
  },
  PodMetrics: {
    "": "What the containers of a pod use.",
    timestamp: TIMESTAMP,
    window: WINDOW,
    containers: "The usage of the pod's containers, measured in the same interval.",
  },
};
