import {
  type FieldError,
  type FieldPath,
  field,
  isDns1123Label,
  isPathSegmentName,
  validateLabelSelector,
} from "@orchernetes/apimachinery";
import { assertNever } from "@orchernetes/kernel";
import { validateContainerResourceName } from "../../core/v1/validation/container-resources.ts";
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
type Source = (typeof sources)[keyof typeof sources];
/** Of several sources, the first in this order is validated. */
const sourceOrder: readonly Source[] = ["object", "external", "pods", "resource", "containerResource"];
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

/**
 * Validates one metric: exactly the field of its type is set. As in Kubernetes 1.27, a wrong type is reported twice, of
 * several sources only the first is validated, and a single source of another type is not forbidden.
 */
function validateMetric(metric: MetricSpec, path: FieldPath): FieldError[] {
  const type: string = metric.type;
  const errors: FieldError[] = [];
  if (type === "") {
    errors.push(field.required(path.child("type"), "must specify a metric source type"));
  }
  const wanted = Object.hasOwn(sources, type) ? sources[type as keyof typeof sources] : undefined;
  const unknown = wanted === undefined ? [field.notSupported(path.child("type"), type, metricTypes)] : [];
  errors.push(...unknown);
  const present = sourceOrder.filter((source) => metric[source] !== undefined);
  if (present[0] !== undefined) {
    errors.push(...validateSource(metric, present[0], path.child(present[0])));
  }
  errors.push(...unknown);
  if (wanted !== undefined && metric[wanted] === undefined) {
    const detail = "must populate information for the given metric source";
    errors.push(field.required(path.child(wanted), detail));
  }
  if (present.length > 1) {
    const others = present.filter((source) => source !== wanted);
    errors.push(
      ...others.map((source) => field.forbidden(path.child(source), "must populate the given metric source only")),
    );
  }
  return errors;
}

function validateSource(metric: MetricSpec, source: Source, at: FieldPath): FieldError[] {
  const { object, pods, resource, containerResource, external } = metric;
  switch (source) {
    case "object":
      return object === undefined
        ? []
        : [
            ...validateReference(object.describedObject, at.child("describedObject")),
            ...validateIdentifier(object.metric, at.child("metric")),
            ...validateObjectTarget(object.target, at.child("target")),
          ];
    case "pods":
      return pods === undefined
        ? []
        : [
            ...validateIdentifier(pods.metric, at.child("metric")),
            ...validateTarget(pods.target, at.child("target")),
            ...(pods.target.averageValue === undefined
              ? [field.required(at.child("target", "averageValue"), "must specify a positive target averageValue")]
              : []),
          ];
    case "external":
      return external === undefined
        ? []
        : [
            ...validateIdentifier(external.metric, at.child("metric")),
            ...validateExternalTarget(external.target, at.child("target")),
          ];
    case "containerResource":
      return containerResource === undefined
        ? []
        : [...validateContainerNames(containerResource, at), ...validateResourceTarget(containerResource.target, at)];
    case "resource":
      return resource === undefined
        ? []
        : [...requireResourceName(resource.name, at), ...validateResourceTarget(resource.target, at)];
    default:
      return assertNever(source);
  }
}

/** Validates a metric's name, which becomes a segment of a URL of the metrics API, and its selector. */
function validateIdentifier(metric: MetricIdentifier, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (metric.name === "") {
    errors.push(field.required(path.child("name"), "must specify a metric name"));
  } else {
    report(errors, isPathSegmentName(metric.name), path, "name", metric.name);
  }
  return [...errors, ...validateLabelSelector(metric.selector, path.child("selector"))];
}

/** Targets of object metrics: a value for all pods, or one per pod. */
function validateObjectTarget(target: MetricTarget, path: FieldPath): FieldError[] {
  const errors = validateTarget(target, path);
  if (target.value === undefined && target.averageValue === undefined) {
    errors.push(field.required(path.child("averageValue"), "must set either a target value or averageValue"));
  }
  return errors;
}

/** Targets of external metrics: those of object metrics, but not both values. */
function validateExternalTarget(target: MetricTarget, path: FieldPath): FieldError[] {
  const errors = validateTarget(target, path);
  if (target.value === undefined && target.averageValue === undefined) {
    const detail = "must set either a target value for metric or a per-pod target";
    errors.push(field.required(path.child("averageValue"), detail));
  }
  if (target.value !== undefined && target.averageValue !== undefined) {
    const detail = "may not set both a target value for metric and a per-pod target";
    errors.push(field.forbidden(path.child("value"), detail));
  }
  return errors;
}

function requireResourceName(name: string, path: FieldPath): FieldError[] {
  return name === "" ? [field.required(path.child("name"), "must specify a resource name")] : [];
}

/** Validates the names of a resource and of the container whose use of it counts. */
function validateContainerNames(
  { name, container }: { readonly name: string; readonly container: string },
  path: FieldPath,
): FieldError[] {
  const errors = requireResourceName(name, path);
  if (name !== "") errors.push(...validateContainerResourceName(name, path.child("name")));
  if (container === "") errors.push(field.required(path.child("container"), "must specify a container"));
  else report(errors, isDns1123Label(container), path, "container", container);
  return errors;
}

/** Validates the target for CPU or memory use: either an amount or a percentage of the request. */
function validateResourceTarget(target: MetricTarget, path: FieldPath): FieldError[] {
  const at = path.child("target");
  const errors = validateTarget(target, at);
  const { averageUtilization, averageValue } = target;
  if (averageUtilization === undefined && averageValue === undefined) {
    const detail = "must set either a target raw value or a target utilization";
    errors.push(field.required(at.child("averageUtilization"), detail));
  }
  if (averageUtilization !== undefined && averageValue !== undefined) {
    const detail = "may not set both a target raw value and a target utilization";
    errors.push(field.forbidden(at.child("averageValue"), detail));
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
  }
  if (!targetTypes.includes(type)) {
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
