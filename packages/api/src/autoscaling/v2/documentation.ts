import type { TypeDocumentation } from "@orchernetes/apimachinery";

const metricKinds = {
  object: "A metric of one other object, for type Object.",
  pods: "A metric of each pod, averaged, for type Pods.",
  resource: "CPU or memory of whole pods, for type Resource.",
  containerResource:
    "CPU or memory of one container in each pod, for type ContainerResource. Needs the feature gate HPAContainerMetrics.",
  external: "A metric from outside the cluster, for type External.",
};

/** Texts of the types of autoscaling/v2. */
export const documentation: TypeDocumentation = {
  HorizontalPodAutoscaler: {
    "": "Sets the replicas of a workload, between a minimum and a maximum, depending on measured metrics.",
    spec: "What is scaled, within which limits and by which metrics.",
    status: "What was last measured and decided. Written by orch-controller-manager.",
  },
  HorizontalPodAutoscalerSpec: {
    "": "Desired behaviour of an autoscaler.",
    scaleTargetRef: "The workload whose replicas are set, through its scale subresource. It is in the same namespace.",
    minReplicas:
      "Never fewer replicas than this. 0 needs the feature gate HPAScaleToZero and a metric of type Object or External. Default: 1.",
    maxReplicas: "Never more replicas than this. Not less than minReplicas.",
    metrics:
      "What is measured. Each metric proposes a number of replicas; the highest proposal wins. Default: CPU use at 80 % of the request.",
    behavior:
      "How fast replicas may grow and shrink. Default: growing immediately, shrinking after five minutes of lower proposals.",
  },
  HorizontalPodAutoscalerBehavior: {
    "": "How fast an autoscaler may change the number of replicas.",
    scaleUp:
      "Rules for growing. Default: every 15 seconds, double the number or add 4, whichever is more, without waiting.",
    scaleDown: "Rules for shrinking. Default: down to minReplicas, using the highest proposal of the last 300 seconds.",
  },
  HPAScalingRules: {
    "": "Limits on change in one direction.",
    stabilizationWindowSeconds:
      "Seconds of past proposals that are considered, the most cautious of which is followed, so that replicas do not flap. 0 to 3600. Default: 0 for growing, 300 for shrinking.",
    selectPolicy:
      "Which policy decides: Max (the default) the one that allows the biggest change, Min the one that allows the smallest; Disabled forbids change in this direction.",
    policies: "How much change is allowed within how much time. At least one policy.",
  },
  HPAScalingPolicy: {
    "": "One limit on change.",
    type: "Unit of value: Pods, or Percent of the current replicas.",
    value: "How much change is allowed. Positive.",
    periodSeconds: "Seconds within which no more than value may change. 1 to 1800.",
  },
  MetricSpec: {
    "": "A metric and its target value. Exactly the member that type names is set.",
    type: "Which member is set: Object, Pods, Resource, ContainerResource or External.",
    ...metricKinds,
  },
  MetricStatus: {
    "": "The last measured value of a metric. Exactly the member that type names is set.",
    type: "Which member is set: Object, Pods, Resource, ContainerResource or External.",
    ...metricKinds,
  },
  ObjectMetricSource: {
    "": "A metric that describes one object, such as requests per second at an Ingress.",
    describedObject: "The object that the metric describes.",
    target: "The target value: Value as a whole, or AverageValue per pod.",
    metric: "Which metric of the object.",
  },
  PodsMetricSource: {
    "": "A metric that each pod has, such as transactions per second; it is averaged over the pods.",
    metric: "Which metric of the pods.",
    target: "The target average; only AverageValue is possible.",
  },
  ResourceMetricSource: {
    "": "CPU or memory use of the pods, all containers together.",
    name: "The resource: cpu or memory.",
    target: "The target use: Utilization as a percentage of the request, or AverageValue per pod.",
  },
  ContainerResourceMetricSource: {
    "": "CPU or memory use of one container of each pod, so that sidecars do not distort the measurement.",
    name: "The resource: cpu or memory.",
    target: "The target use: Utilization as a percentage of the request, or AverageValue per pod.",
    container: "Name of the container.",
  },
  ExternalMetricSource: {
    "": "A metric of something that is not an object of the cluster, such as the length of a queue in a cloud service.",
    metric: "Which metric.",
    target: "The target value: Value as a whole, or AverageValue per pod.",
  },
  MetricIdentifier: {
    "": "Names a metric.",
    name: "Name of the metric.",
    selector:
      "Restricts the metric to series with matching labels; it is passed to the metrics server unchanged. Default: no restriction.",
  },
  MetricTarget: {
    "": "The target value of an autoscaler.",
    type: "Which member is set: Utilization, Value or AverageValue.",
    value: "The metric as a whole, as a quantity.",
    averageValue: "The metric divided by the number of pods, as a quantity.",
    averageUtilization:
      "Use averaged over the pods, as a percentage of what they request. Only for Resource and ContainerResource.",
  },
  MetricValueStatus: {
    "": "The last measured value of a metric.",
    value: "The metric as a whole, as a quantity.",
    averageValue: "The metric divided by the number of pods, as a quantity.",
    averageUtilization: "Use averaged over the pods, as a percentage of what they request.",
  },
  ObjectMetricStatus: {
    "": "What was measured of a metric that describes one object.",
    metric: "Which metric of the object.",
    current: "The measured value.",
    describedObject: "The object that the metric describes.",
  },
  PodsMetricStatus: {
    "": "What was measured of a metric that each pod has.",
    metric: "Which metric of the pods.",
    current: "The measured value.",
  },
  ResourceMetricStatus: {
    "": "The pods' measured use of a resource.",
    name: "The resource: cpu or memory.",
    current: "The measured use.",
  },
  ContainerResourceMetricStatus: {
    "": "Measured use of a resource by one container of each pod.",
    name: "The resource: cpu or memory.",
    current: "The measured use.",
    container: "Name of the container.",
  },
  ExternalMetricStatus: {
    "": "What was measured of a metric from outside the cluster.",
    metric: "Which metric.",
    current: "The measured value.",
  },
  HorizontalPodAutoscalerStatus: {
    "": "What the autoscaler last saw and did.",
    observedGeneration: "The metadata.generation that this status refers to.",
    lastScaleTime: "When it last changed the number of replicas.",
    currentReplicas: "Replicas of the workload when last checked.",
    desiredReplicas: "Replicas that it last requested.",
    currentMetrics: "Last measured values, in the order of spec.metrics.",
    conditions: "Summaries of the state: AbleToScale, ScalingActive and ScalingLimited.",
  },
  HorizontalPodAutoscalerCondition: {
    "": "One aspect of an autoscaler's state.",
    type: "Which aspect: AbleToScale (the target can be read and written), ScalingActive (metrics can be computed) or ScalingLimited (a limit restricts the number).",
    status: "True, False, or Unknown if it cannot be determined.",
    lastTransitionTime: "When status last changed.",
    reason: "A machine-readable reason in CamelCase.",
    message: "A human-readable description of what happened.",
  },
  CrossVersionObjectReference: {
    "": "Names an object in the same namespace whose version does not matter.",
    kind: "Kind of the object, such as Deployment.",
    name: "Name of the object.",
    apiVersion: "Group and version of the object's API, such as apps/v1.",
  },
};
