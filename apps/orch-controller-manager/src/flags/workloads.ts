import { flagSection } from "@orchernetes/component";

/** The controllers of workloads. */
export const workloadSection = {
  ...flagSection("Deployment controller", {
    "concurrent-deployment-syncs": {
      type: "int",
      default: 5,
      min: 1,
      help: "Deployments worked on at once; more answers faster and costs more CPU and requests.",
    },
  }),
  ...flagSection("StatefulSet controller", {
    "concurrent-statefulset-syncs": {
      type: "int",
      default: 5,
      min: 1,
      help: "StatefulSets worked on at once.",
    },
  }),
  ...flagSection("ReplicaSet controller", {
    "concurrent-replicaset-syncs": { type: "int", default: 5, min: 1, help: "ReplicaSets worked on at once." },
  }),
  ...flagSection("ReplicationController", {
    "concurrent-rc-syncs": { type: "int", default: 5, min: 1, help: "ReplicationControllers worked on at once." },
  }),
  ...flagSection("TTL after finished controller", {
    "concurrent-ttl-after-finished-syncs": {
      type: "int",
      default: 5,
      min: 1,
      help: "Finished jobs worked on at once.",
    },
  }),
  ...flagSection("Pod GC controller", {
    "terminated-pod-gc-threshold": {
      type: "int",
      default: 12500,
      help: "Terminated pods that may exist before the collector deletes some; 0 or less switches that off.",
    },
  }),
  ...flagSection("Horizontal pod autoscaling controller", {
    "concurrent-horizontal-pod-autoscaler-syncs": {
      type: "int",
      default: 5,
      min: 1,
      help: "Autoscalers worked on at once.",
    },
    "horizontal-pod-autoscaler-sync-period": {
      type: "duration",
      default: "15s",
      min: 1,
      help: "Time between two looks at the number of pods.",
    },
    "horizontal-pod-autoscaler-upscale-delay": {
      type: "duration",
      default: "3m0s",
      min: 0,
      hidden: true,
      deprecated: "it has no effect and will be removed",
      effect: "none",
      help: "Time after an upscale before the next one.",
    },
    "horizontal-pod-autoscaler-downscale-delay": {
      type: "duration",
      default: "5m0s",
      min: 0,
      hidden: true,
      deprecated: "it has no effect and will be removed",
      effect: "none",
      help: "Time after a downscale before the next one.",
    },
    "horizontal-pod-autoscaler-downscale-stabilization": {
      type: "duration",
      default: "5m0s",
      min: 0,
      help: "How long the autoscaler looks back: it does not scale below any recommendation of that time.",
    },
    "horizontal-pod-autoscaler-tolerance": {
      type: "float",
      default: 0.1,
      min: 0,
      help: "Least deviation of the ratio of wanted to actual use from 1 that makes the autoscaler scale.",
    },
    "horizontal-pod-autoscaler-cpu-initialization-period": {
      type: "duration",
      default: "5m0s",
      min: 0,
      help: "Time after the start of a pod in which its CPU figures may be left out.",
    },
    "horizontal-pod-autoscaler-initial-readiness-delay": {
      type: "duration",
      default: "30s",
      min: 0,
      help: "Time after the start of a pod in which changes of readiness count as the first ones.",
    },
  }),
};
