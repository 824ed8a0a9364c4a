import type * as v2 from "../v2/types.ts";
import type { MetricSpec, MetricStatus } from "./types.ts";

/**
 * The target of the only metric that autoscaling/v1 has a field for: CPU in percent of its request. Undefined for other
 * metrics.
 */
export function cpuUtilization(metric: v2.MetricSpec): number | undefined {
  return metric.type === "Resource" && metric.resource?.name === "cpu"
    ? metric.resource.target.averageUtilization
    : undefined;
}

const utilizationTarget = (
  averageUtilization: number | undefined,
  averageValue: string | undefined,
): v2.MetricTarget =>
  averageUtilization === undefined
    ? { type: "AverageValue", averageValue }
    : { type: "Utilization", averageUtilization };

const valueTarget = (value: string | undefined, averageValue: string | undefined): v2.MetricTarget =>
  averageValue === undefined ? { type: "Value", value } : { type: "AverageValue", averageValue };

/** A metric of the annotation form in the current form. */
export function metricToV2(metric: MetricSpec): v2.MetricSpec {
  const { type, object, pods, resource, containerResource, external } = metric;
  return {
    type,
    object: object && {
      describedObject: object.target,
      metric: { name: object.metricName, selector: object.selector },
      target: valueTarget(object.targetValue, object.averageValue),
    },
    pods: pods && {
      metric: { name: pods.metricName, selector: pods.selector },
      target: { type: "AverageValue", averageValue: pods.targetAverageValue },
    },
    resource: resource && {
      name: resource.name,
      target: utilizationTarget(resource.targetAverageUtilization, resource.targetAverageValue),
    },
    containerResource: containerResource && {
      name: containerResource.name,
      container: containerResource.container,
      target: utilizationTarget(containerResource.targetAverageUtilization, containerResource.targetAverageValue),
    },
    external: external && {
      metric: { name: external.metricName, selector: external.metricSelector },
      target: valueTarget(external.targetValue, external.targetAverageValue),
    },
  };
}

/** A metric of the current form in the annotation form. */
export function metricFromV2(metric: v2.MetricSpec): MetricSpec {
  const { type, object, pods, resource, containerResource, external } = metric;
  return {
    type,
    object: object && {
      target: object.describedObject,
      metricName: object.metric.name,
      targetValue: object.target.value ?? "0",
      selector: object.metric.selector,
      averageValue: object.target.averageValue,
    },
    pods: pods && {
      metricName: pods.metric.name,
      targetAverageValue: pods.target.averageValue ?? "0",
      selector: pods.metric.selector,
    },
    resource: resource && {
      name: resource.name,
      targetAverageUtilization: resource.target.averageUtilization,
      targetAverageValue: resource.target.averageValue,
    },
    containerResource: containerResource && {
      name: containerResource.name,
      targetAverageUtilization: containerResource.target.averageUtilization,
      targetAverageValue: containerResource.target.averageValue,
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric.name,
      metricSelector: external.metric.selector,
      targetValue: external.target.value,
      targetAverageValue: external.target.averageValue,
    },
  };
}

/** A measured metric of the annotation form in the current form. */
export function metricStatusToV2(status: MetricStatus): v2.MetricStatus {
  const { type, object, pods, resource, containerResource, external } = status;
  return {
    type,
    object: object && {
      describedObject: object.target,
      metric: { name: object.metricName, selector: object.selector },
      current: { value: object.currentValue, averageValue: object.averageValue },
    },
    pods: pods && {
      metric: { name: pods.metricName, selector: pods.selector },
      current: { averageValue: pods.currentAverageValue },
    },
    resource: resource && {
      name: resource.name,
      current: {
        averageValue: resource.currentAverageValue,
        averageUtilization: resource.currentAverageUtilization,
      },
    },
    containerResource: containerResource && {
      name: containerResource.name,
      container: containerResource.container,
      current: {
        averageValue: containerResource.currentAverageValue,
        averageUtilization: containerResource.currentAverageUtilization,
      },
    },
    external: external && {
      metric: { name: external.metricName, selector: external.metricSelector },
      current: { value: external.currentValue, averageValue: external.currentAverageValue },
    },
  };
}

/** A measured metric of the current form in the annotation form. */
export function metricStatusFromV2(status: v2.MetricStatus): MetricStatus {
  const { type, object, pods, resource, containerResource, external } = status;
  return {
    type,
    object: object && {
      target: object.describedObject,
      metricName: object.metric.name,
      currentValue: object.current.value ?? "0",
      selector: object.metric.selector,
      averageValue: object.current.averageValue,
    },
    pods: pods && {
      metricName: pods.metric.name,
      currentAverageValue: pods.current.averageValue ?? "0",
      selector: pods.metric.selector,
    },
    resource: resource && {
      name: resource.name,
      currentAverageUtilization: resource.current.averageUtilization,
      currentAverageValue: resource.current.averageValue ?? "0",
    },
    containerResource: containerResource && {
      name: containerResource.name,
      currentAverageUtilization: containerResource.current.averageUtilization,
      currentAverageValue: containerResource.current.averageValue ?? "0",
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric.name,
      metricSelector: external.metric.selector,
      currentValue: external.current.value ?? "0",
      currentAverageValue: external.current.averageValue,
    },
  };
}
