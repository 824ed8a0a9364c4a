import {
  enumeration,
  type Infer,
  int32,
  LabelSelector,
  message,
  openEnumeration,
  optional,
  pointer,
  quantity,
  required,
  string,
  time,
} from "@orchernetes/apimachinery";
import { CrossVersionObjectReference } from "./horizontal-pod-autoscaler.ts";

const pkg = "autoscaling/v1";

export const MetricSpec = message(pkg, "MetricSpec", () => ({
  type: required(1, enumeration("Object", "Pods", "Resource", "ContainerResource", "External")),
  object: pointer(2, ObjectMetricSource),
  pods: pointer(3, PodsMetricSource),
  resource: pointer(4, ResourceMetricSource),
  containerResource: pointer(7, ContainerResourceMetricSource),
  external: pointer(5, ExternalMetricSource),
}));
export interface MetricSpec extends Infer<typeof MetricSpec> {}

export const ObjectMetricSource = message(pkg, "ObjectMetricSource", () => ({
  target: required(1, CrossVersionObjectReference),
  metricName: required(2, string),
  targetValue: required(3, quantity),
  selector: pointer(4, LabelSelector),
  averageValue: pointer(5, quantity),
}));
export interface ObjectMetricSource extends Infer<typeof ObjectMetricSource> {}

export const PodsMetricSource = message(pkg, "PodsMetricSource", () => ({
  metricName: required(1, string),
  targetAverageValue: required(2, quantity),
  selector: pointer(3, LabelSelector),
}));
export interface PodsMetricSource extends Infer<typeof PodsMetricSource> {}

export const ResourceMetricSource = message(pkg, "ResourceMetricSource", () => ({
  name: required(1, string),
  targetAverageUtilization: pointer(2, int32),
  targetAverageValue: pointer(3, quantity),
}));
export interface ResourceMetricSource extends Infer<typeof ResourceMetricSource> {}

export const ContainerResourceMetricSource = message(pkg, "ContainerResourceMetricSource", () => ({
  name: required(1, string),
  targetAverageUtilization: pointer(2, int32),
  targetAverageValue: pointer(3, quantity),
  container: required(5, string),
}));
export interface ContainerResourceMetricSource extends Infer<typeof ContainerResourceMetricSource> {}

export const ExternalMetricSource = message(pkg, "ExternalMetricSource", () => ({
  metricName: required(1, string),
  metricSelector: pointer(2, LabelSelector),
  targetValue: pointer(3, quantity),
  targetAverageValue: pointer(4, quantity),
}));
export interface ExternalMetricSource extends Infer<typeof ExternalMetricSource> {}

export const MetricStatus = message(pkg, "MetricStatus", () => ({
  type: required(1, enumeration("Object", "Pods", "Resource", "ContainerResource", "External")),
  object: pointer(2, ObjectMetricStatus),
  pods: pointer(3, PodsMetricStatus),
  resource: pointer(4, ResourceMetricStatus),
  containerResource: pointer(7, ContainerResourceMetricStatus),
  external: pointer(5, ExternalMetricStatus),
}));
export interface MetricStatus extends Infer<typeof MetricStatus> {}

export const HorizontalPodAutoscalerCondition = message(pkg, "HorizontalPodAutoscalerCondition", () => ({
  type: required(1, string),
  status: required(2, openEnumeration("True", "False", "Unknown")),
  lastTransitionTime: optional(3, time),
  reason: optional(4, string),
  message: optional(5, string),
}));
export interface HorizontalPodAutoscalerCondition extends Infer<typeof HorizontalPodAutoscalerCondition> {}

export const ObjectMetricStatus = message(pkg, "ObjectMetricStatus", () => ({
  target: required(1, CrossVersionObjectReference),
  metricName: required(2, string),
  currentValue: required(3, quantity),
  selector: pointer(4, LabelSelector),
  averageValue: pointer(5, quantity),
}));
export interface ObjectMetricStatus extends Infer<typeof ObjectMetricStatus> {}

export const PodsMetricStatus = message(pkg, "PodsMetricStatus", () => ({
  metricName: required(1, string),
  currentAverageValue: required(2, quantity),
  selector: pointer(3, LabelSelector),
}));
export interface PodsMetricStatus extends Infer<typeof PodsMetricStatus> {}

export const ResourceMetricStatus = message(pkg, "ResourceMetricStatus", () => ({
  name: required(1, string),
  currentAverageUtilization: pointer(2, int32),
  currentAverageValue: required(3, quantity),
}));
export interface ResourceMetricStatus extends Infer<typeof ResourceMetricStatus> {}

export const ContainerResourceMetricStatus = message(pkg, "ContainerResourceMetricStatus", () => ({
  name: required(1, string),
  currentAverageUtilization: pointer(2, int32),
  currentAverageValue: required(3, quantity),
  container: required(4, string),
}));
export interface ContainerResourceMetricStatus extends Infer<typeof ContainerResourceMetricStatus> {}

export const ExternalMetricStatus = message(pkg, "ExternalMetricStatus", () => ({
  metricName: required(1, string),
  metricSelector: pointer(2, LabelSelector),
  currentValue: required(3, quantity),
  currentAverageValue: pointer(4, quantity),
}));
export interface ExternalMetricStatus extends Infer<typeof ExternalMetricStatus> {}
