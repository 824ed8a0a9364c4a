import {
  type FieldError,
  type FieldPath,
  field,
  goStruct,
  literal,
  validateLabelSelector,
} from "@orchernetes/apimachinery";
import { updating, type ValidationContext } from "../../core/v1/validation/context.ts";
import { validatePodTemplateSpec } from "../../core/v1/validation/pod-template.ts";
import {
  intOrPercentValue,
  notMoreThan100Percent,
  positiveIntOrPercent,
  printIntOrString,
} from "../../shared/int-or-percent.ts";
import {
  immutableSelector,
  isEmptySelector,
  printLabelSelector,
  templateMatches,
} from "../../shared/label-selectors.ts";
import { collisionCountNotDecremented, nonNegatives } from "../../shared/numbers.ts";
import { validateWorkloadTemplate } from "./pod-template-rules.ts";
import type {
  DaemonSet,
  DaemonSetSpec,
  DaemonSetStatus,
  DaemonSetUpdateStrategy,
  RollingUpdateDaemonSet,
} from "./types/daemon-set.ts";

/** Validates a DaemonSet's spec. An empty selector is rejected, because it would select all pods of the namespace. */
export function validateDaemonSetSpec(spec: DaemonSetSpec, path: FieldPath, ctx: ValidationContext): FieldError[] {
  const template = path.child("template");
  const errors: FieldError[] = [
    ...validateLabelSelector(spec.selector ?? undefined, path.child("selector")),
    ...templateMatches(spec.selector, spec.template.metadata.labels, template.child("metadata", "labels")),
  ];
  if (isEmptySelector(spec.selector)) {
    const detail = "empty selector is invalid for daemonset";
    errors.push(field.invalid(path.child("selector"), printLabelSelector(spec.selector), detail));
  }
  errors.push(
    ...validatePodTemplateSpec(spec.template, template, ctx),
    ...validateWorkloadTemplate(spec.template, "DaemonSet", template),
    ...nonNegatives({ minReadySeconds: spec.minReadySeconds }, path),
    ...validateUpdateStrategy(spec.updateStrategy, path.child("updateStrategy")),
    ...nonNegatives({ revisionHistoryLimit: spec.revisionHistoryLimit }, path),
  );
  return errors;
}

/** Validates the update strategy. With OnDelete, parameters of a rolling update are ignored, not rejected. */
function validateUpdateStrategy(strategy: DaemonSetUpdateStrategy, path: FieldPath): FieldError[] {
  switch (strategy.type as string | undefined) {
    case "OnDelete":
      return [];
    case "RollingUpdate":
      return strategy.rollingUpdate === undefined
        ? [field.required(path.child("rollingUpdate"))]
        : validateRollingUpdate(strategy.rollingUpdate, path.child("rollingUpdate"));
    default: {
      const nil = strategy.rollingUpdate === undefined;
      const printed = goStruct("apps.DaemonSetUpdateStrategy", {
        Type: strategy.type ?? "",
        RollingUpdate: literal(nil ? "(*apps.RollingUpdateDaemonSet)(nil)" : JSON.stringify(strategy.rollingUpdate)),
      });
      return [field.notSupported(path, printed, ["RollingUpdate", "OnDelete"])];
    }
  }
}

/**
 * Validates a rolling update: nodes lose their old pod first (`maxUnavailable`), or get the new one first (`maxSurge`,
 * KEP-1591); never both, and at least one of them, or no node could be updated.
 */
function validateRollingUpdate({ maxUnavailable, maxSurge }: RollingUpdateDaemonSet, path: FieldPath): FieldError[] {
  const unavailable = path.child("maxUnavailable");
  const surge = path.child("maxSurge");
  const errors = [
    ...positiveIntOrPercent(maxUnavailable, unavailable),
    ...positiveIntOrPercent(maxSurge, surge),
    ...notMoreThan100Percent(maxUnavailable, unavailable),
    ...notMoreThan100Percent(maxSurge, surge),
  ];
  const hasUnavailable = intOrPercentValue(maxUnavailable) !== 0;
  const hasSurge = intOrPercentValue(maxSurge) !== 0;
  if (hasUnavailable && hasSurge) {
    const detail = "may not be set when maxUnavailable is non-zero";
    errors.push(field.invalid(surge, printIntOrString(maxSurge ?? 0), detail));
  } else if (!hasUnavailable && !hasSurge) {
    errors.push(field.invalid(unavailable, printIntOrString(maxUnavailable ?? 0), "cannot be 0"));
  }
  return errors;
}

/** Validates an update of a DaemonSet. */
export function validateDaemonSetUpdate(daemonSet: DaemonSet, old: DaemonSet, ctx: ValidationContext): FieldError[] {
  const path = field("spec");
  return [
    ...validateDaemonSetSpec(daemonSet.spec, path, updating(ctx, old.spec.template.spec)),
    ...immutableSelector(daemonSet.spec.selector, old.spec.selector, path.child("selector")),
  ];
}

/**
 * Validates an update of a DaemonSet's status. `collisionCount` must not decrease, because names of ControllerRevisions
 * are computed from it.
 */
export function validateDaemonSetStatusUpdate(status: DaemonSetStatus, old: DaemonSetStatus): FieldError[] {
  const path = field("status");
  const { currentNumberScheduled, numberMisscheduled, desiredNumberScheduled, numberReady } = status;
  const { observedGeneration, updatedNumberScheduled, numberAvailable, numberUnavailable, collisionCount } = status;
  return [
    ...nonNegatives(
      {
        currentNumberScheduled,
        numberMisscheduled,
        desiredNumberScheduled,
        numberReady,
        observedGeneration,
        updatedNumberScheduled,
        numberAvailable,
        numberUnavailable,
        collisionCount,
      },
      path,
    ),
    ...collisionCountNotDecremented(collisionCount, old.collisionCount, path),
  ];
}
