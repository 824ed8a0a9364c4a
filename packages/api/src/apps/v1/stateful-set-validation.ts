import {
  type FieldError,
  type FieldPath,
  field,
  goStruct,
  literal,
  validateAnnotations,
  validateLabelSelector,
  validateLabels,
} from "@orchernetes/apimachinery";
import { semanticEqual } from "../../shared/immutable.ts";
import {
  intOrPercentValue,
  notMoreThan100Percent,
  positiveIntOrPercent,
  printIntOrString,
} from "../../shared/int-or-percent.ts";
import { isEmptySelector, isValidSelector, printLabelSelector, templateMatches } from "../../shared/label-selectors.ts";
import { collisionCountNotDecremented, nonNegative, nonNegatives, notAbove } from "../../shared/numbers.ts";
import { validateWorkloadTemplate } from "./pod-template-rules.ts";
import type {
  RollingUpdateStatefulSetStrategy,
  StatefulSet,
  StatefulSetPersistentVolumeClaimRetentionPolicy,
  StatefulSetSpec,
  StatefulSetStatus,
  StatefulSetUpdateStrategy,
} from "./types/stateful-set.ts";

/** Validates a StatefulSet's spec. */
export function validateStatefulSetSpec(spec: StatefulSetSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [
    ...validatePodManagementPolicy(spec.podManagementPolicy, path.child("podManagementPolicy")),
    ...validateUpdateStrategy(spec.updateStrategy, path.child("updateStrategy")),
    ...validateRetentionPolicy(
      spec.persistentVolumeClaimRetentionPolicy,
      path.child("persistentVolumeClaimRetentionPolicy"),
    ),
    ...nonNegatives({ replicas: spec.replicas, minReadySeconds: spec.minReadySeconds }, path),
    ...nonNegative(spec.ordinals?.start, path.child("ordinals", "start")),
  ];
  const selector = path.child("selector");
  if (spec.selector === undefined || spec.selector === null) {
    errors.push(field.required(selector));
  } else {
    errors.push(...validateLabelSelector(spec.selector, selector));
    if (isEmptySelector(spec.selector)) {
      const detail = "empty selector is invalid for statefulset";
      errors.push(field.invalid(selector, printLabelSelector(spec.selector), detail));
    }
  }
  const template = path.child("template");
  if (!isValidSelector(spec.selector)) {
    errors.push(field.invalid(selector, printLabelSelector(spec.selector), ""));
  } else {
    // The pod spec is validated when pods are created, because claims of volumeClaimTemplates may replace its volumes.
    errors.push(
      ...templateMatches(spec.selector, spec.template.metadata.labels, template.child("metadata", "labels")),
      ...validateLabels(spec.template.metadata.labels, template.child("labels")),
      ...validateAnnotations(spec.template.metadata.annotations, template.child("annotations")),
    );
  }
  return [...errors, ...validateWorkloadTemplate(spec.template, "StatefulSet", template)];
}

function validatePodManagementPolicy(policy: string | undefined, path: FieldPath): FieldError[] {
  switch (policy) {
    case undefined:
    case "":
      return [field.required(path)];
    case "OrderedReady":
    case "Parallel":
      return [];
    default:
      return [field.invalid(path, policy, "must be 'OrderedReady' or 'Parallel'")];
  }
}

function validateUpdateStrategy(strategy: StatefulSetUpdateStrategy, path: FieldPath): FieldError[] {
  const { rollingUpdate } = strategy;
  const at = path.child("rollingUpdate");
  switch (strategy.type as string | undefined) {
    case undefined:
    case "":
      return [field.required(path)];
    case "OnDelete":
      return rollingUpdate === undefined
        ? []
        : [field.invalid(at, printRollingUpdate(rollingUpdate), "only allowed for updateStrategy 'RollingUpdate'")];
    case "RollingUpdate":
      return rollingUpdate === undefined ? [] : validateRollingUpdate(rollingUpdate, at);
    default: {
      const printed = goStruct("apps.StatefulSetUpdateStrategy", {
        Type: strategy.type ?? "",
        RollingUpdate:
          rollingUpdate === undefined
            ? literal("(*apps.RollingUpdateStatefulSetStrategy)(nil)")
            : printRollingUpdate(rollingUpdate),
      });
      return [field.invalid(path, printed, "must be 'RollingUpdate' or 'OnDelete'")];
    }
  }
}

function printRollingUpdate({ partition, maxUnavailable }: RollingUpdateStatefulSetStrategy): unknown {
  return goStruct("apps.RollingUpdateStatefulSetStrategy", {
    Partition: partition ?? 0,
    ...(maxUnavailable === undefined ? {} : { MaxUnavailable: printIntOrString(maxUnavailable) }),
  });
}

/** Validates a rolling update: which pods are updated (`partition`), and how many at a time (KEP-961). */
function validateRollingUpdate(rollingUpdate: RollingUpdateStatefulSetStrategy, path: FieldPath): FieldError[] {
  const errors = nonNegative(rollingUpdate.partition, path.child("partition"));
  const { maxUnavailable } = rollingUpdate;
  if (maxUnavailable !== undefined) {
    const at = path.child("maxUnavailable");
    errors.push(...positiveIntOrPercent(maxUnavailable, at));
    if (intOrPercentValue(maxUnavailable) === 0) {
      errors.push(field.invalid(at, printIntOrString(maxUnavailable), "cannot be 0"));
    }
    errors.push(...notMoreThan100Percent(maxUnavailable, at));
  }
  return errors;
}

/** Validates what happens to the claims of pods that are removed (KEP-1847). */
function validateRetentionPolicy(
  policy: StatefulSetPersistentVolumeClaimRetentionPolicy | undefined,
  path: FieldPath,
): FieldError[] {
  if (policy === undefined) {
    return [];
  }
  const supported = ["Retain", "Delete"];
  return (["whenDeleted", "whenScaled"] as const).flatMap((when) =>
    supported.includes(policy[when] ?? "") ? [] : [field.notSupported(path.child(when), policy[when] ?? "", supported)],
  );
}

/** Fields of the spec that may change after creation. The others decide about names and claims of existing pods. */
const mutable = {
  replicas: undefined,
  ordinals: undefined,
  template: undefined,
  updateStrategy: undefined,
  persistentVolumeClaimRetentionPolicy: undefined,
  minReadySeconds: undefined,
};

/** Validates an update of a StatefulSet. */
export function validateStatefulSetUpdate(statefulSet: StatefulSet, old: StatefulSet): FieldError[] {
  const path = field("spec");
  const errors = validateStatefulSetSpec(statefulSet.spec, path);
  if (!semanticEqual({ ...statefulSet.spec, ...mutable }, { ...old.spec, ...mutable })) {
    const detail =
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
    errors.push(field.forbidden(path, detail));
  }
  return errors;
}

/** Validates an update of a StatefulSet's status. */
export function validateStatefulSetStatusUpdate(status: StatefulSetStatus, old: StatefulSetStatus): FieldError[] {
  const path = field("status");
  const { replicas, readyReplicas, currentReplicas, updatedReplicas, availableReplicas } = status;
  const { observedGeneration, collisionCount } = status;
  return [
    ...nonNegatives(
      {
        replicas,
        readyReplicas,
        currentReplicas,
        updatedReplicas,
        availableReplicas,
        observedGeneration,
        collisionCount,
      },
      path,
    ),
    ...notAbove(
      { readyReplicas, currentReplicas, updatedReplicas, availableReplicas },
      replicas,
      "status.replicas",
      path,
    ),
    ...notAbove({ availableReplicas }, readyReplicas, "status.readyReplicas", path),
    ...collisionCountNotDecremented(collisionCount, old.collisionCount, path),
  ];
}
