import { type Draft, defineResource, type FieldError, field, goStringMap } from "@orchernetes/apimachinery";
import {
  age,
  column,
  containerImages,
  containerNames,
  formatLabels,
  name,
  selectorColumn,
} from "../../shared/columns.ts";
import { allVerbs, subresourceVerbs } from "../../shared/definitions.ts";
import { share } from "../../shared/drafts.ts";
import { nonNegative } from "../../shared/numbers.ts";
import { defaultPodTemplateSpec } from "./defaults/pod-spec.ts";
import { ReplicationController, type ReplicationControllerSpec } from "./types/replication-controller.ts";
import { updating, type ValidationContext } from "./validation/context.ts";
import { validatePodTemplateSpec } from "./validation/pod-template.ts";
import { podWarnings } from "./warnings.ts";

const counts = ["replicas", "readyReplicas", "availableReplicas", "fullyLabeledReplicas"] as const;

/**
 * Sets the defaults of a replication controller. Unlike in `apps/v1`, selector and labels default to those of the
 * template.
 */
function applyDefaults(controller: Draft<ReplicationController>): void {
  const { spec, metadata } = controller;
  spec.replicas ??= 1;
  if (spec.template === undefined) {
    return;
  }
  defaultPodTemplateSpec(spec.template);
  const labels = spec.template.metadata.labels ?? {};
  if (Object.keys(labels).length > 0) {
    if (Object.keys(spec.selector ?? {}).length === 0) {
      spec.selector = { ...labels };
    }
    if (Object.keys(metadata.labels ?? {}).length === 0) {
      metadata.labels = { ...labels };
    }
  }
}

/** Validates the spec. The selector is a plain map of labels: the kind is older than set-based selectors. */
function validate({ spec }: ReplicationController, ctx: ValidationContext): FieldError[] {
  const selector = Object.entries(spec.selector ?? {});
  return [
    ...nonNegative(spec.minReadySeconds, "spec.minReadySeconds"),
    ...(selector.length === 0 ? [field.required("spec.selector")] : []),
    ...nonNegative(spec.replicas, "spec.replicas"),
    ...validateTemplate(spec, selector, ctx),
  ];
}

/** Validates the pod template. Its labels must match the selector, or the controller would create pods without end. */
function validateTemplate(
  { template }: ReplicationControllerSpec,
  selector: readonly (readonly [string, string])[],
  ctx: ValidationContext,
): FieldError[] {
  const path = field("spec", "template");
  if (template === undefined) {
    return [field.required(path)];
  }
  const errors: FieldError[] = [];
  const labels = template.metadata.labels;
  if (selector.some(([key, value]) => labels?.[key] !== value)) {
    const detail = "`selector` does not match template `labels`";
    errors.push(field.invalid(path.child("metadata", "labels"), goStringMap(labels), detail));
  }
  errors.push(...validatePodTemplateSpec(template, path, ctx));
  const { restartPolicy, activeDeadlineSeconds } = template.spec;
  if (restartPolicy !== "Always") {
    errors.push(field.notSupported(path.child("spec", "restartPolicy"), restartPolicy ?? "", ["Always"]));
  }
  if (activeDeadlineSeconds !== undefined) {
    const detail = "activeDeadlineSeconds in ReplicationController is not Supported";
    errors.push(field.forbidden(path.child("spec", "activeDeadlineSeconds"), detail));
  }
  return errors;
}

/** Validates that the counts of a status are consistent: available pods are ready, and ready pods exist. */
function validateStatusUpdate({ status }: ReplicationController): FieldError[] {
  const errors = counts.flatMap((count) => nonNegative(status[count], `status.${count}`));
  errors.push(...nonNegative(status.observedGeneration, "status.observedGeneration"));
  for (const count of ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"] as const) {
    const value = status[count] ?? 0;
    if (value > status.replicas) {
      errors.push(field.invalid(`status.${count}`, value, "cannot be greater than status.replicas"));
    }
  }
  if ((status.availableReplicas ?? 0) > (status.readyReplicas ?? 0)) {
    const detail = "cannot be greater than readyReplicas";
    errors.push(field.invalid("status.availableReplicas", status.availableReplicas, detail));
  }
  return errors;
}

/**
 * `v1` replication controllers, the predecessor of ReplicaSets. They are stored under `controllers`, for historical
 * reasons.
 */
export const replicationControllers = defineResource<ReplicationController>({
  group: "",
  version: "v1",
  kind: "ReplicationController",
  plural: "replicationcontrollers",
  singular: "replicationcontroller",
  shortNames: ["rc"],
  categories: ["all"],
  scope: "Namespaced",
  verbs: allVerbs,
  schema: ReplicationController,
  storagePrefix: "/registry/controllers",
  applyDefaults,
  strategy: {
    prepareForCreate: (controller) => {
      controller.status = { replicas: 0 };
    },
    validate,
    prepareForUpdate: (controller, old) => {
      controller.status = share(old.status);
    },
    validateUpdate: (controller, old, ctx) => validate(controller, updating(ctx, old.spec.template?.spec)),
    warnings: ({ spec }) => (spec.template === undefined ? [] : podWarnings(spec.template, "spec.template")),
    generation: ({ spec }) => spec,
    // The kind is older than the garbage collector. Clients expect that a deletion without a policy leaves the pods
    // running.
    defaultPropagation: "orphan",
  },
  columns: [
    name(),
    column("Desired", "integer", "Pods that should run.", ({ spec }) => spec.replicas ?? 0),
    column("Current", "integer", "Pods that exist.", ({ status }) => status.replicas),
    column("Ready", "integer", "Pods that are ready.", ({ status }) => status.readyReplicas ?? 0),
    age(),
    containerNames(({ spec }) => spec.template),
    containerImages(({ spec }) => spec.template),
    selectorColumn(({ spec }) => formatLabels(spec.selector)),
  ],
  fieldSelectors: ["status.replicas"],
  selectableFields: ({ status }) => ({ "status.replicas": String(status.replicas) }),
  subresources: {
    status: {
      type: "status",
      verbs: subresourceVerbs,
      strategy: {
        prepareForUpdate: (controller, old) => {
          controller.spec = share(old.spec);
        },
        validateUpdate: validateStatusUpdate,
      },
    },
    scale: {
      type: "scale",
      get: ({ spec, status }) => ({
        specReplicas: spec.replicas ?? 0,
        statusReplicas: status.replicas,
        selector: Object.keys(spec.selector ?? {}).length === 0 ? "" : formatLabels(spec.selector),
      }),
      set: (controller, replicas) => {
        controller.spec.replicas = replicas;
      },
    },
  },
});
