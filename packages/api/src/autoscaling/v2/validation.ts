import {
  type FieldError,
  type FieldPath,
  field,
  isPathSegmentName,
  validateLabelSelector,
} from "@orchernetes/apimachinery";
import type { ValidationContext } from "../../core/v1/validation/context.ts";
import { nonNegatives } from "../../shared/numbers.ts";
import { report, requireText } from "../../shared/report.ts";
import { positiveQuantity } from "../../shared/resource-lists.ts";
import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HPAScalingRules,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
} from "./types.ts";

const maxStabilizationSeconds = 3600;
const maxPeriodSeconds = 1800;
const selectPolicies = ["Disabled", "Max", "Min"];
const policyTypes = ["Percent", "Pods"];
const targetTypes = ["Utilization", "Value", "AverageValue"];

/** The field of each type of metric. */
const sources = {
  Object: "object",
  Pods: "pods",
  Resource: "resource",
  External: "external",
  ContainerResource: "containerResource",
} as const;
const metricTypes = ["ContainerResource", "External", "Object", "Pods", "Resource"];

/**
 * Validates a HorizontalPodAutoscaler's spec.
 *
 * @param spec - the spec to validate
 * @param old - stored spec of an update. An autoscaler that already scales to zero may continue to do so when the
 *   feature gate HPAScaleToZero is disabled
 * @param path - path of the spec
 * @param ctx - says which feature gates are enabled
 */
export function validateAutoscalerSpec(
  spec: HorizontalPodAutoscalerSpec,
  old: HorizontalPodAutoscalerSpec | undefined,
  path: FieldPath,
  ctx: ValidationContext,
): FieldError[] {
  const errors: FieldError[] = [];
  const { minReplicas, maxReplicas, metrics = [] } = spec;
  const least = old?.minReplicas === 0 || ctx.featureEnabled("HPAScaleToZero") ? 0 : 1;
  if (minReplicas !== undefined && minReplicas < least) {
    errors.push(field.invalid(path.child("minReplicas"), minReplicas, `must be greater than or equal to ${least}`));
  }
  if (maxReplicas < 1) {
    errors.push(field.invalid(path.child("maxReplicas"), maxReplicas, "must be greater than 0"));
  }
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    const detail = "must be greater than or equal to `minReplicas`";
    errors.push(field.invalid(path.child("maxReplicas"), maxReplicas, detail));
  }
  errors.push(...validateReference(spec.scaleTargetRef, path.child("scaleTargetRef")));
  errors.push(...metrics.flatMap((metric, i) => validateMetric(metric, path.child("metrics").index(i))));
  // Without pods, metrics of pods have no value, so that nothing could start the first one.
  if (minReplicas === 0 && !metrics.some(({ type }) => type === "Object" || type === "External")) {
    const detail = "must specify at least one Object or External metric to support scaling to zero replicas";
    errors.push(field.forbidden(path.child("metrics"), detail));
  }
  const behavior = path.child("behavior");
  return [
    ...errors,
    ...validateScalingRules(spec.behavior?.scaleUp, behavior.child("scaleUp")),
    ...validateScalingRules(spec.behavior?.scaleDown, behavior.child("scaleDown")),
  ];
}

/**
 * Validates the target. Kind and name become segments of a URL when the controller reads the scale subresource. Whether
 * the target exists is not checked; it may be created later.
 */
function validateReference(reference: CrossVersionObjectReference, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const part of ["kind", "name"] as const) {
    if (requireText(errors, reference[part], path, part)) {
      report(errors, isPathSegmentName(reference[part]), path, part, reference[part]);
    }
  }
  return errors;
}

/** Validates one metric: exactly the field of its type is set. */
function validateMetric(metric: MetricSpec, path: FieldPath): FieldError[] {
  const type: string = metric.type;
  if (type === "") {
    return [field.required(path.child("type"), "must specify a metric source type")];
  }
  if (!Object.hasOwn(sources, type)) {
    return [field.notSupported(path.child("type"), type, metricTypes)];
  }
  const wanted = sources[type as keyof typeof sources];
  const errors: FieldError[] = [];
  for (const source of Object.values(sources)) {
    if (source !== wanted && metric[source] !== undefined) {
      const detail = "must populate the given metric source only";
      errors.push(field.forbidden(path.child(source), detail));
    }
  }
  if (metric[wanted] === undefined) {
    const detail = "must populate information for the given metric source";
    return [...errors, field.required(path.child(wanted), detail)];
  }
  return [...errors, ...validateSource(metric, path)];
}

function validateSource(metric: MetricSpec, path: FieldPath): FieldError[] {
  const { object, pods, resource, containerResource, external } = metric;
  switch (metric.type) {
    case "Object": {
      const at = path.child("object");
      return object === undefined
        ? []
        : [
            ...validateReference(object.describedObject, at.child("describedObject")),
            ...validateIdentifier(object.metric, at.child("metric")),
            ...validateValueTarget(object.target, at.child("target")),
          ];
    }
    case "Pods": {
      const at = path.child("pods");
      const errors =
        pods === undefined
          ? []
          : [
              ...validateIdentifier(pods.metric, at.child("metric")),
              ...validateTarget(pods.target, at.child("target")),
            ];
      if (pods !== undefined && pods.target.averageValue === undefined) {
        const detail = "must specify a positive target averageValue";
        errors.push(field.required(at.child("target", "averageValue"), detail));
      }
      return errors;
    }
    case "External": {
      const at = path.child("external");
      return external === undefined
        ? []
        : [
            ...validateIdentifier(external.metric, at.child("metric")),
            ...validateValueTarget(external.target, at.child("target")),
          ];
    }
    case "ContainerResource":
      return containerResource === undefined
        ? []
        : validateResource(containerResource, path.child("containerResource"), containerResource.container);
    default:
      return resource === undefined ? [] : validateResource(resource, path.child("resource"));
  }
}

/** Validates a metric's name, which becomes a segment of a URL of the metrics API, and its selector. */
function validateIdentifier(metric: MetricIdentifier, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (requireText(errors, metric.name, path, "name")) {
    report(errors, isPathSegmentName(metric.name), path, "name", metric.name);
  }
  return [...errors, ...validateLabelSelector(metric.selector, path.child("selector"))];
}

/** Targets of object and external metrics: a value for all pods, or one per pod. */
function validateValueTarget(target: MetricTarget, path: FieldPath): FieldError[] {
  const errors = validateTarget(target, path);
  if (target.value !== undefined && target.averageValue !== undefined) {
    const detail = "may not set both a target value for metric and a per-pod target";
    errors.push(field.forbidden(path.child("value"), detail));
  }
  if (target.value === undefined && target.averageValue === undefined) {
    const detail = "must set either a target value for metric or a per-pod target";
    errors.push(field.required(path.child("averageValue"), detail));
  }
  return errors;
}

/** Validates CPU or memory use: the target is either an amount or a percentage of the request. */
function validateResource(
  source: { readonly name: string; readonly target: MetricTarget },
  path: FieldPath,
  container?: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (source.name === "") {
    errors.push(field.required(path.child("name"), "must specify a resource name"));
  }
  if (container === "") {
    errors.push(field.required(path.child("container"), "must specify a container"));
  }
  const target = path.child("target");
  errors.push(...validateTarget(source.target, target));
  const { averageUtilization, averageValue } = source.target;
  if (averageUtilization === undefined && averageValue === undefined) {
    const detail = "must set either a target raw value or a target utilization";
    errors.push(field.required(target.child("averageUtilization"), detail));
  }
  if (averageUtilization !== undefined && averageValue !== undefined) {
    const detail = "may not set both a target raw value and a target utilization";
    errors.push(field.forbidden(target.child("averageValue"), detail));
  }
  return errors;
}

/**
 * Validates the values of a target. As upstream does, it does not check that the value belongs to the target's type.
 */
function validateTarget(target: MetricTarget, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const type: string = target.type;
  if (type === "") {
    errors.push(field.required(path.child("type"), "must specify a metric target type"));
  } else if (!targetTypes.includes(type)) {
    const detail = "must be either Utilization, Value, or AverageValue";
    errors.push(field.invalid(path.child("type"), type, detail));
  }
  for (const part of ["value", "averageValue"] as const) {
    const amount = target[part];
    if (amount !== undefined && positiveQuantity(amount, path.child(part)).length > 0) {
      errors.push(field.invalid(path.child(part), amount, "must be positive"));
    }
  }
  if (target.averageUtilization !== undefined && target.averageUtilization < 1) {
    const at = path.child("averageUtilization");
    errors.push(field.invalid(at, target.averageUtilization, "must be greater than 0"));
  }
  return errors;
}

/**
 * Validates the limits on change in one direction. Without policies nothing would be allowed; `Disabled` exists for
 * that.
 */
function validateScalingRules(rules: HPAScalingRules | undefined, path: FieldPath): FieldError[] {
  if (rules === undefined) {
    return [];
  }
  const errors: FieldError[] = [];
  const window = rules.stabilizationWindowSeconds;
  const at = path.child("stabilizationWindowSeconds");
  if (window !== undefined && window < 0) {
    errors.push(field.invalid(at, window, "must be greater than or equal to zero"));
  }
  if (window !== undefined && window > maxStabilizationSeconds) {
    errors.push(field.invalid(at, window, `must be less than or equal to ${maxStabilizationSeconds}`));
  }
  if (rules.selectPolicy !== undefined && !selectPolicies.includes(rules.selectPolicy)) {
    errors.push(field.notSupported(path.child("selectPolicy"), rules.selectPolicy, selectPolicies));
  }
  const policies = path.child("policies");
  if ((rules.policies ?? []).length === 0) {
    errors.push(field.required(policies, "must specify at least one Policy"));
  }
  for (const [i, { type, value, periodSeconds }] of (rules.policies ?? []).entries()) {
    const policy = policies.index(i);
    if (!policyTypes.includes(type)) {
      errors.push(field.notSupported(policy.child("type"), type, policyTypes));
    }
    if (value <= 0) {
      errors.push(field.invalid(policy.child("value"), value, "must be greater than zero"));
    }
    if (periodSeconds <= 0) {
      errors.push(field.invalid(policy.child("periodSeconds"), periodSeconds, "must be greater than zero"));
    }
    if (periodSeconds > maxPeriodSeconds) {
      const detail = `must be less than or equal to ${maxPeriodSeconds}`;
      errors.push(field.invalid(policy.child("periodSeconds"), periodSeconds, detail));
    }
  }
  return errors;
}

/** Validates a HorizontalPodAutoscaler's status. */
export function validateAutoscalerStatus({ status }: HorizontalPodAutoscaler): FieldError[] {
  const { currentReplicas, desiredReplicas } = status;
  return nonNegatives({ currentReplicas, desiredReplicas }, field("status"));
}
