import {
  type Draft,
  defineResource,
  field,
  formatLabelSelector,
  labelSelectorAsSelector,
} from "@orchernetes/apimachinery";
import { defaultPodTemplateSpec } from "../../core/v1/defaults/pod-spec.ts";
import { podWarnings } from "../../core/v1/warnings.ts";
import { age, column, containerImages, containerNames, name, selectorColumn } from "../../shared/columns.ts";
import { allVerbs, subresourceVerbs } from "../../shared/definitions.ts";
import { keep, keepLabels } from "../../shared/drafts.ts";
import { podNameWarnings } from "../../shared/pod-name-warnings.ts";
import {
  validateDeploymentSpec,
  validateDeploymentStatusUpdate,
  validateDeploymentUpdate,
} from "./deployment-validation.ts";
import { Deployment } from "./types/deployment.ts";

/**
 * Sets the defaults of a Deployment: one replica, rolling update by quarters, ten old ReplicaSets, ten minutes to
 * progress.
 */
function defaultDeployment(deployment: Draft<Deployment>): void {
  const { spec } = deployment;
  defaultPodTemplateSpec(spec.template);
  spec.replicas ??= 1;
  spec.strategy.type ||= "RollingUpdate";
  if (spec.strategy.type === "RollingUpdate") {
    spec.strategy.rollingUpdate ??= {};
    spec.strategy.rollingUpdate.maxUnavailable ??= "25%";
    spec.strategy.rollingUpdate.maxSurge ??= "25%";
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
}

/** `apps/v1` Deployments: equal pods, which are updated from one template to the next by ReplicaSets. */
export const deployments = defineResource<Deployment>({
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  singular: "deployment",
  shortNames: ["deploy"],
  categories: ["all"],
  scope: "Namespaced",
  verbs: allVerbs,
  schema: Deployment,
  storagePrefix: "/registry/deployments",
  applyDefaults: defaultDeployment,
  strategy: {
    prepareForCreate: (deployment) => {
      deployment.status = {};
    },
    validate: (deployment, ctx) => validateDeploymentSpec(deployment.spec, field("spec"), ctx),
    prepareForUpdate: (deployment, old) => keep(deployment, old, "status"),
    validateUpdate: validateDeploymentUpdate,
    warnings: (deployment, old) => [
      ...(old === undefined ? podNameWarnings(deployment.metadata.name) : []),
      ...podWarnings(deployment.spec.template, "spec.template"),
    ],
    // The controller copies annotations to ReplicaSets, so their changes count: `observedGeneration` tells clients when
    // that is done.
    generation: ({ spec, metadata }) => ({ spec, annotations: metadata.annotations ?? {} }),
  },
  columns: [
    name(),
    column(
      "Ready",
      "string",
      "Ready pods of the desired ones.",
      ({ spec, status }) => `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
    ),
    column("Up-to-date", "string", "Pods made from the current template.", ({ status }) => status.updatedReplicas ?? 0),
    column(
      "Available",
      "string",
      "Pods that have been ready for at least minReadySeconds.",
      ({ status }) => status.availableReplicas ?? 0,
    ),
    age(),
    containerNames(({ spec }) => spec.template),
    containerImages(({ spec }) => spec.template),
    selectorColumn(({ spec }) => formatLabelSelector(spec.selector)),
  ],
  subresources: {
    status: {
      type: "status",
      verbs: subresourceVerbs,
      strategy: {
        prepareForUpdate: (deployment, old) => {
          keep(deployment, old, "spec");
          keepLabels(deployment, old);
        },
        validateUpdate: (deployment, old) => validateDeploymentStatusUpdate(deployment.status, old.status),
      },
    },
    scale: {
      type: "scale",
      get: ({ spec, status }) => ({
        specReplicas: spec.replicas ?? 0,
        statusReplicas: status.replicas ?? 0,
        selector: labelSelectorAsSelector(spec.selector).toString(),
      }),
      set: (deployment, replicas) => {
        deployment.spec.replicas = replicas;
      },
    },
  },
});
