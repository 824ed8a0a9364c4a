import {
  type FieldError,
  type FieldPath,
  field,
  goStruct,
  literal,
  validateLabelSelector,
} from "@orchernetes/apimachinery";
import { updating, type ValidationContext } from "../../core/v1/validation/context.ts";
import {
  intOrPercentValue,
  notMoreThan100Percent,
  positiveIntOrPercent,
  printIntOrString,
} from "../../shared/int-or-percent.ts";
import { immutableSelector, isEmptySelector, printLabelSelector } from "../../shared/label-selectors.ts";
import { collisionCountNotDecremented, nonNegative, nonNegatives, notAbove } from "../../shared/numbers.ts";
import { validateReplicatedTemplate } from "./replica-set-validation.ts";
import type {
  Deployment,
  DeploymentSpec,
  DeploymentStatus,
  DeploymentStrategy,
  RollingUpdateDeployment,
} from "./types/deployment.ts";

/** Validates a Deployment's spec. An empty selector is rejected, because it would select all pods of the namespace. */
export function validateDeploymentSpec(spec: DeploymentSpec, path: FieldPath, ctx: ValidationContext): FieldError[] {
  const errors: FieldError[] = nonNegative(spec.replicas, path.child("replicas"));
  const selector = path.child("selector");
  if (spec.selector === undefined || spec.selector === null) {
    errors.push(field.required(selector));
  } else {
    errors.push(...validateLabelSelector(spec.selector, selector));
    if (isEmptySelector(spec.selector)) {
      errors.push(
        field.invalid(selector, printLabelSelector(spec.selector), "empty selector is invalid for deployment"),
      );
    }
  }
  errors.push(
    ...validateReplicatedTemplate(spec.template, spec.selector, path, ctx),
    ...validateStrategy(spec.strategy, path.child("strategy")),
    ...nonNegatives({ minReadySeconds: spec.minReadySeconds, revisionHistoryLimit: spec.revisionHistoryLimit }, path),
  );
  const deadline = spec.progressDeadlineSeconds;
  if (deadline !== undefined) {
    const at = path.child("progressDeadlineSeconds");
    errors.push(...nonNegative(deadline, at));
    if (deadline <= (spec.minReadySeconds ?? 0)) {
      errors.push(field.invalid(at, deadline, "must be greater than minReadySeconds"));
    }
  }
  return errors;
}

/** Validates the strategy; only a rolling update has parameters. */
function validateStrategy(strategy: DeploymentStrategy, path: FieldPath): FieldError[] {
  const rollingUpdate = path.child("rollingUpdate");
  switch (strategy.type as string | undefined) {
    case "Recreate":
      return strategy.rollingUpdate === undefined
        ? []
        : [field.forbidden(rollingUpdate, "may not be specified when strategy `type` is 'Recreate'")];
    case "RollingUpdate":
      return strategy.rollingUpdate === undefined
        ? [field.required(rollingUpdate, "this should be defaulted and never be nil")]
        : validateRollingUpdate(strategy.rollingUpdate, rollingUpdate);
    default:
      return [field.notSupported(path, printStrategy(strategy), ["Recreate", "RollingUpdate"])];
  }
}

/** The strategy as Go prints the struct; upstream quotes all of it if the type is unknown. */
function printStrategy(strategy: DeploymentStrategy): unknown {
  const nil = strategy.rollingUpdate === undefined;
  return goStruct("apps.DeploymentStrategy", {
    Type: strategy.type ?? "",
    RollingUpdate: literal(nil ? "(*apps.RollingUpdateDeployment)(nil)" : JSON.stringify(strategy.rollingUpdate)),
  });
}

/** Validates a rolling update. With neither unavailable nor additional pods no pod could be replaced. */
function validateRollingUpdate(rollingUpdate: RollingUpdateDeployment, path: FieldPath): FieldError[] {
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const at = path.child("maxUnavailable");
  const errors = [
    ...positiveIntOrPercent(maxUnavailable, at),
    ...positiveIntOrPercent(maxSurge, path.child("maxSurge")),
  ];
  if (intOrPercentValue(maxUnavailable) === 0 && intOrPercentValue(maxSurge) === 0) {
    errors.push(field.invalid(at, printIntOrString(maxUnavailable ?? 0), "may not be 0 when `maxSurge` is 0"));
  }
  return [...errors, ...notMoreThan100Percent(maxUnavailable, at)];
}

/**
 * Validates an update of a Deployment. The selector is immutable, since pods that it no longer selects would be left
 * behind.
 */
export function validateDeploymentUpdate(
  deployment: Deployment,
  old: Deployment,
  ctx: ValidationContext,
): FieldError[] {
  const path = field("spec");
  return [
    ...validateDeploymentSpec(
      withEmptiedLabels(deployment.spec, old.spec),
      path,
      updating(ctx, old.spec.template.spec),
    ),
    ...immutableSelector(deployment.spec.selector, old.spec.selector, path.child("selector")),
  ];
}

/** Removed labels appear in messages as an empty map, and labels that never existed as none, as in Go. */
function withEmptiedLabels(spec: DeploymentSpec, old: DeploymentSpec): DeploymentSpec {
  const { template } = spec;
  return template.metadata.labels === undefined && old.template.metadata.labels !== undefined
    ? { ...spec, template: { ...template, metadata: { ...template.metadata, labels: {} } } }
    : spec;
}

/**
 * Validates an update of a Deployment's status: counts must be consistent, and `collisionCount` must not decrease,
 * because names of ReplicaSets are computed from it.
 */
export function validateDeploymentStatusUpdate(status: DeploymentStatus, old: DeploymentStatus): FieldError[] {
  const path = field("status");
  const { observedGeneration, replicas, updatedReplicas, readyReplicas, availableReplicas } = status;
  const { unavailableReplicas, collisionCount } = status;
  return [
    ...nonNegatives(
      {
        observedGeneration,
        replicas,
        updatedReplicas,
        readyReplicas,
        availableReplicas,
        unavailableReplicas,
        collisionCount,
      },
      path,
    ),
    ...notAbove({ updatedReplicas, readyReplicas, availableReplicas }, replicas, "status.replicas", path),
    ...notAbove({ availableReplicas }, readyReplicas, "readyReplicas", path),
    ...collisionCountNotDecremented(collisionCount, old.collisionCount, path),
  ];
}
