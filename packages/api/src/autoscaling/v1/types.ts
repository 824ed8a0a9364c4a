import {
  enumeration,
  type Infer,
  int32,
  int64,
  LabelSelector,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  openEnumeration,
  optional,
  pointer,
  quantity,
  required,
  string,
  time,
  value,
} from "@orchernetes/apimachinery";

const pkg = "autoscaling/v1";

/** Alpha form of the metrics of autoscaling/v2. It occurs only in the annotation `autoscaling.alpha.orchernetes.io/metrics`. */
export const MetricSpec = message(pkg, "MetricSpec", () => ({
  type: required(1, enumeration("Object", "Pods", "Resource", "ContainerResource", "External")),
  object: pointer(2, ObjectMetricSource),
  pods: pointer(3, PodsMetricSource),
  resource: pointer(4, ResourceMetricSource),
  containerResource: pointer(7, ContainerResourceMetricSource),
  external: pointer(5, ExternalMetricSource),
}));
export interface MetricSpec extends Infer<typeof MetricSpec> {}

/** Target of a metric of one object. */
export const ObjectMetricSource = message(pkg, "ObjectMetricSource", () => ({
  target: required(1, CrossVersionObjectReference),
  metricName: required(2, string),
  targetValue: required(3, quantity),
  selector: pointer(4, LabelSelector),
  averageValue: pointer(5, quantity),
}));
export interface ObjectMetricSource extends Infer<typeof ObjectMetricSource> {}

/** Target of a metric of each pod, averaged over the pods. */
export const PodsMetricSource = message(pkg, "PodsMetricSource", () => ({
  metricName: required(1, string),
  targetAverageValue: required(2, quantity),
  selector: pointer(3, LabelSelector),
}));
export interface PodsMetricSource extends Infer<typeof PodsMetricSource> {}

/** Target of a resource of the pods, all containers together. */
export const ResourceMetricSource = message(pkg, "ResourceMetricSource", () => ({
  name: required(1, string),
  targetAverageUtilization: pointer(2, int32),
  targetAverageValue: pointer(3, quantity),
}));
export interface ResourceMetricSource extends Infer<typeof ResourceMetricSource> {}

/** Target of a resource of one container of each pod (KEP-1610). */
export const ContainerResourceMetricSource = message(pkg, "ContainerResourceMetricSource", () => ({
  name: required(1, string),
  targetAverageUtilization: pointer(2, int32),
  targetAverageValue: pointer(3, quantity),
  container: required(5, string),
}));
export interface ContainerResourceMetricSource extends Infer<typeof ContainerResourceMetricSource> {}

/** Target of a metric that belongs to no object of the cluster. */
export const ExternalMetricSource = message(pkg, "ExternalMetricSource", () => ({
  metricName: required(1, string),
  metricSelector: pointer(2, LabelSelector),
  targetValue: pointer(3, quantity),
  targetAverageValue: pointer(4, quantity),
}));
export interface ExternalMetricSource extends Infer<typeof ExternalMetricSource> {}

/** Alpha form of the measured metrics. It occurs only in the annotation `autoscaling.alpha.orchernetes.io/current-metrics`. */
export const MetricStatus = message(pkg, "MetricStatus", () => ({
  type: required(1, enumeration("Object", "Pods", "Resource", "ContainerResource", "External")),
  object: pointer(2, ObjectMetricStatus),
  pods: pointer(3, PodsMetricStatus),
  resource: pointer(4, ResourceMetricStatus),
  containerResource: pointer(7, ContainerResourceMetricStatus),
  external: pointer(5, ExternalMetricStatus),
}));
export interface MetricStatus extends Infer<typeof MetricStatus> {}

/** Alpha form of the conditions. It occurs only in the annotation `autoscaling.alpha.orchernetes.io/conditions`. */
export const HorizontalPodAutoscalerCondition = message(pkg, "HorizontalPodAutoscalerCondition", () => ({
  type: required(1, string),
  status: required(2, openEnumeration("True", "False", "Unknown")),
  lastTransitionTime: optional(3, time),
  reason: optional(4, string),
  message: optional(5, string),
}));
export interface HorizontalPodAutoscalerCondition extends Infer<typeof HorizontalPodAutoscalerCondition> {}

/** Measured value of an {@link ObjectMetricSource}. */
export const ObjectMetricStatus = message(pkg, "ObjectMetricStatus", () => ({
  target: required(1, CrossVersionObjectReference),
  metricName: required(2, string),
  currentValue: required(3, quantity),
  selector: pointer(4, LabelSelector),
  averageValue: pointer(5, quantity),
}));
export interface ObjectMetricStatus extends Infer<typeof ObjectMetricStatus> {}

/** Measured value of a {@link PodsMetricSource}. */
export const PodsMetricStatus = message(pkg, "PodsMetricStatus", () => ({
  metricName: required(1, string),
  currentAverageValue: required(2, quantity),
  selector: pointer(3, LabelSelector),
}));
export interface PodsMetricStatus extends Infer<typeof PodsMetricStatus> {}

/** Measured value of a {@link ResourceMetricSource}. */
export const ResourceMetricStatus = message(pkg, "ResourceMetricStatus", () => ({
  name: required(1, string),
  currentAverageUtilization: pointer(2, int32),
  currentAverageValue: required(3, quantity),
}));
export interface ResourceMetricStatus extends Infer<typeof ResourceMetricStatus> {}

/** Measured value of a {@link ContainerResourceMetricSource}. */
export const ContainerResourceMetricStatus = message(pkg, "ContainerResourceMetricStatus", () => ({
  name: required(1, string),
  currentAverageUtilization: pointer(2, int32),
  currentAverageValue: required(3, quantity),
  container: required(4, string),
}));
export interface ContainerResourceMetricStatus extends Infer<typeof ContainerResourceMetricStatus> {}

/** Measured value of an {@link ExternalMetricSource}. */
export const ExternalMetricStatus = message(pkg, "ExternalMetricStatus", () => ({
  metricName: required(1, string),
  metricSelector: pointer(2, LabelSelector),
  currentValue: required(3, quantity),
  currentAverageValue: pointer(4, quantity),
}));
export interface ExternalMetricStatus extends Infer<typeof ExternalMetricStatus> {}

/** Names an object in the same namespace whose version does not matter. */
export const CrossVersionObjectReference = message(
  pkg,
  "CrossVersionObjectReference",
  () => ({
    kind: required(1, string),
    name: required(2, string),
    apiVersion: optional(3, string),
  }),
  { atomic: true },
);
export interface CrossVersionObjectReference extends Infer<typeof CrossVersionObjectReference> {}

/** The desired behaviour of an autoscaler. */
export const HorizontalPodAutoscalerSpec = message(pkg, "HorizontalPodAutoscalerSpec", () => ({
  scaleTargetRef: required(1, CrossVersionObjectReference),
  minReplicas: pointer(2, int32),
  maxReplicas: required(3, int32),
  targetCPUUtilizationPercentage: pointer(4, int32),
}));
export interface HorizontalPodAutoscalerSpec extends Infer<typeof HorizontalPodAutoscalerSpec> {}

/** What the autoscaler last saw and did. */
export const HorizontalPodAutoscalerStatus = message(pkg, "HorizontalPodAutoscalerStatus", () => ({
  observedGeneration: pointer(1, int64),
  lastScaleTime: pointer(2, time),
  currentReplicas: required(3, int32),
  desiredReplicas: required(4, int32),
  currentCPUUtilizationPercentage: pointer(5, int32),
}));
export interface HorizontalPodAutoscalerStatus extends Infer<typeof HorizontalPodAutoscalerStatus> {}

/**
 * Keeps the replicas of a workload between two bounds, depending on CPU usage.
 *
 * Stored as autoscaling/v2; what this version cannot express is kept in annotations (`conversion.ts`).
 */
export const HorizontalPodAutoscaler = object(pkg, "HorizontalPodAutoscaler", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, HorizontalPodAutoscalerSpec),
  status: value(3, HorizontalPodAutoscalerStatus),
}));
export interface HorizontalPodAutoscaler extends Infer<typeof HorizontalPodAutoscaler> {}

export const HorizontalPodAutoscalerList = object(pkg, "HorizontalPodAutoscalerList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(HorizontalPodAutoscaler)),
}));
export interface HorizontalPodAutoscalerList extends Infer<typeof HorizontalPodAutoscalerList> {}

/** The number of replicas of a workload, read and written through its subresource `scale`. */
export const Scale = object(pkg, "Scale", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, ScaleSpec),
  status: value(3, ScaleStatus),
}));
export interface Scale extends Infer<typeof Scale> {}

/** The desired scale of a workload. */
export const ScaleSpec = message(pkg, "ScaleSpec", () => ({
  replicas: optional(1, int32),
}));
export interface ScaleSpec extends Infer<typeof ScaleSpec> {}

/** The present scale of a workload. */
export const ScaleStatus = message(pkg, "ScaleStatus", () => ({
  replicas: required(1, int32),
  selector: optional(2, string),
}));
export interface ScaleStatus extends Infer<typeof ScaleStatus> {}
