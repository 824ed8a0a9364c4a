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

const pkg = "autoscaling/v2";

/**
 * Keeps the replicas of a workload between two bounds, depending on metrics.
 *
 * Defaults: `minReplicas` 1, and 80 % of the requested CPU if there is no metric. `behavior`: KEP-853; container metrics:
 * KEP-1610.
 */
export const HorizontalPodAutoscaler = object(pkg, "HorizontalPodAutoscaler", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, HorizontalPodAutoscalerSpec),
  status: value(3, HorizontalPodAutoscalerStatus),
}));
export interface HorizontalPodAutoscaler extends Infer<typeof HorizontalPodAutoscaler> {}

/** The desired behaviour of an autoscaler. */
export const HorizontalPodAutoscalerSpec = message(pkg, "HorizontalPodAutoscalerSpec", () => ({
  scaleTargetRef: required(1, CrossVersionObjectReference),
  minReplicas: pointer(2, int32),
  maxReplicas: required(3, int32),
  metrics: optional(4, list(MetricSpec)),
  behavior: pointer(5, HorizontalPodAutoscalerBehavior),
}));
export interface HorizontalPodAutoscalerSpec extends Infer<typeof HorizontalPodAutoscalerSpec> {}

/** Names an object in the same namespace whose version does not matter. */
export const CrossVersionObjectReference = message(pkg, "CrossVersionObjectReference", () => ({
  kind: required(1, string),
  name: required(2, string),
  apiVersion: optional(3, string),
}));
export interface CrossVersionObjectReference extends Infer<typeof CrossVersionObjectReference> {}

/** A metric and its target value. Exactly the member that type names is set. */
export const MetricSpec = message(pkg, "MetricSpec", () => ({
  type: required(1, enumeration("Object", "Pods", "Resource", "ContainerResource", "External")),
  object: pointer(2, ObjectMetricSource),
  pods: pointer(3, PodsMetricSource),
  resource: pointer(4, ResourceMetricSource),
  containerResource: pointer(7, ContainerResourceMetricSource, { gate: "HPAContainerMetrics" }),
  external: pointer(5, ExternalMetricSource),
}));
export interface MetricSpec extends Infer<typeof MetricSpec> {}

/** How fast an autoscaler may change the number of replicas. */
export const HorizontalPodAutoscalerBehavior = message(pkg, "HorizontalPodAutoscalerBehavior", () => ({
  scaleUp: pointer(1, HPAScalingRules),
  scaleDown: pointer(2, HPAScalingRules),
}));
export interface HorizontalPodAutoscalerBehavior extends Infer<typeof HorizontalPodAutoscalerBehavior> {}

/** Limits on change in one direction. */
export const HPAScalingRules = message(pkg, "HPAScalingRules", () => ({
  stabilizationWindowSeconds: pointer(3, int32),
  selectPolicy: pointer(1, enumeration("Max", "Min", "Disabled")),
  policies: optional(2, list(HPAScalingPolicy)),
}));
export interface HPAScalingRules extends Infer<typeof HPAScalingRules> {}

/** One limit on change. */
export const HPAScalingPolicy = message(pkg, "HPAScalingPolicy", () => ({
  type: required(1, enumeration("Pods", "Percent")),
  value: required(2, int32),
  periodSeconds: required(3, int32),
}));
export interface HPAScalingPolicy extends Infer<typeof HPAScalingPolicy> {}

/** A metric that describes one object, such as requests per second at an Ingress. */
export const ObjectMetricSource = message(pkg, "ObjectMetricSource", () => ({
  describedObject: required(1, CrossVersionObjectReference),
  target: required(2, MetricTarget),
  metric: required(3, MetricIdentifier),
}));
export interface ObjectMetricSource extends Infer<typeof ObjectMetricSource> {}

/** A metric that each pod has, such as transactions per second; it is averaged over the pods. */
export const PodsMetricSource = message(pkg, "PodsMetricSource", () => ({
  metric: required(1, MetricIdentifier),
  target: required(2, MetricTarget),
}));
export interface PodsMetricSource extends Infer<typeof PodsMetricSource> {}

/** CPU or memory use of the pods, all containers together. */
export const ResourceMetricSource = message(pkg, "ResourceMetricSource", () => ({
  name: required(1, string),
  target: required(2, MetricTarget),
}));
export interface ResourceMetricSource extends Infer<typeof ResourceMetricSource> {}

/** CPU or memory use of one container of each pod, so that sidecars do not distort the measurement. */
export const ContainerResourceMetricSource = message(pkg, "ContainerResourceMetricSource", () => ({
  name: required(1, string),
  target: required(2, MetricTarget),
  container: required(3, string),
}));
export interface ContainerResourceMetricSource extends Infer<typeof ContainerResourceMetricSource> {}

/** A metric of something that is not an object of the cluster, such as the length of a queue in a cloud service. */
export const ExternalMetricSource = message(pkg, "ExternalMetricSource", () => ({
  metric: required(1, MetricIdentifier),
  target: required(2, MetricTarget),
}));
export interface ExternalMetricSource extends Infer<typeof ExternalMetricSource> {}

/** Names a metric. */
export const MetricIdentifier = message(pkg, "MetricIdentifier", () => ({
  name: required(1, string),
  selector: pointer(2, LabelSelector),
}));
export interface MetricIdentifier extends Infer<typeof MetricIdentifier> {}

/** The target value of an autoscaler. */
export const MetricTarget = message(pkg, "MetricTarget", () => ({
  type: required(1, enumeration("Utilization", "Value", "AverageValue")),
  value: pointer(2, quantity),
  averageValue: pointer(3, quantity),
  averageUtilization: pointer(4, int32),
}));
export interface MetricTarget extends Infer<typeof MetricTarget> {}

/** What the autoscaler last saw and did. */
export const HorizontalPodAutoscalerStatus = message(pkg, "HorizontalPodAutoscalerStatus", () => ({
  observedGeneration: pointer(1, int64),
  lastScaleTime: pointer(2, time),
  currentReplicas: optional(3, int32),
  desiredReplicas: required(4, int32),
  currentMetrics: pointer(5, list(MetricStatus)),
  conditions: optional(6, list(HorizontalPodAutoscalerCondition), {
    patch: "merge",
    mergeKey: "type",
    list: "map",
    keys: ["type"],
  }),
}));
export interface HorizontalPodAutoscalerStatus extends Infer<typeof HorizontalPodAutoscalerStatus> {}

/** A condition of an autoscaler. */
export const HorizontalPodAutoscalerCondition = message(pkg, "HorizontalPodAutoscalerCondition", () => ({
  type: required(1, string),
  status: required(2, openEnumeration("True", "False", "Unknown")),
  lastTransitionTime: optional(3, time),
  reason: optional(4, string),
  message: optional(5, string),
}));
export interface HorizontalPodAutoscalerCondition extends Infer<typeof HorizontalPodAutoscalerCondition> {}

/** The last measured value of a metric. Exactly the member that type names is set. */
export const MetricStatus = message(pkg, "MetricStatus", () => ({
  type: required(1, enumeration("Object", "Pods", "Resource", "ContainerResource", "External")),
  object: pointer(2, ObjectMetricStatus),
  pods: pointer(3, PodsMetricStatus),
  resource: pointer(4, ResourceMetricStatus),
  containerResource: pointer(7, ContainerResourceMetricStatus),
  external: pointer(5, ExternalMetricStatus),
}));
export interface MetricStatus extends Infer<typeof MetricStatus> {}

/** What was measured of a metric that describes one object. */
export const ObjectMetricStatus = message(pkg, "ObjectMetricStatus", () => ({
  metric: required(1, MetricIdentifier),
  current: required(2, MetricValueStatus),
  describedObject: required(3, CrossVersionObjectReference),
}));
export interface ObjectMetricStatus extends Infer<typeof ObjectMetricStatus> {}

/** What was measured of a metric that each pod has. */
export const PodsMetricStatus = message(pkg, "PodsMetricStatus", () => ({
  metric: required(1, MetricIdentifier),
  current: required(2, MetricValueStatus),
}));
export interface PodsMetricStatus extends Infer<typeof PodsMetricStatus> {}

/** The pods' measured use of a resource. */
export const ResourceMetricStatus = message(pkg, "ResourceMetricStatus", () => ({
  name: required(1, string),
  current: required(2, MetricValueStatus),
}));
export interface ResourceMetricStatus extends Infer<typeof ResourceMetricStatus> {}

/** Measured use of a resource by one container of each pod. */
export const ContainerResourceMetricStatus = message(pkg, "ContainerResourceMetricStatus", () => ({
  name: required(1, string),
  current: required(2, MetricValueStatus),
  container: required(3, string),
}));
export interface ContainerResourceMetricStatus extends Infer<typeof ContainerResourceMetricStatus> {}

/** What was measured of a metric from outside the cluster. */
export const ExternalMetricStatus = message(pkg, "ExternalMetricStatus", () => ({
  metric: required(1, MetricIdentifier),
  current: required(2, MetricValueStatus),
}));
export interface ExternalMetricStatus extends Infer<typeof ExternalMetricStatus> {}

/** The last measured value of a metric. */
export const MetricValueStatus = message(pkg, "MetricValueStatus", () => ({
  value: pointer(1, quantity),
  averageValue: pointer(2, quantity),
  averageUtilization: pointer(3, int32),
}));
export interface MetricValueStatus extends Infer<typeof MetricValueStatus> {}

export const HorizontalPodAutoscalerList = object(pkg, "HorizontalPodAutoscalerList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(HorizontalPodAutoscaler)),
}));
export interface HorizontalPodAutoscalerList extends Infer<typeof HorizontalPodAutoscalerList> {}
