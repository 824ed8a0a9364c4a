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
import { keep } from "../../shared/drafts.ts";
import { podNameWarnings } from "../../shared/pod-name-warnings.ts";
import {
  validateReplicaSetSpec,
  validateReplicaSetStatus,
  validateReplicaSetUpdate,
} from "./replica-set-validation.ts";
import { ReplicaSet } from "./types/replica-set.ts";

/** Sets the defaults of a ReplicaSet: one replica. */
function defaultReplicaSet(replicaSet: Draft<ReplicaSet>): void {
  defaultPodTemplateSpec(replicaSet.spec.template);
  replicaSet.spec.replicas ??= 1;
}

/**
 * `apps/v1` ReplicaSets: a fixed number of identical pods. Usually a Deployment creates them, one for each revision of
 * its pod template.
 */
export const replicaSets = defineResource<ReplicaSet>({
  group: "apps",
  version: "v1",
  kind: "ReplicaSet",
  plural: "replicasets",
  singular: "replicaset",
  shortNames: ["rs"],
  categories: ["all"],
  scope: "Namespaced",
  verbs: allVerbs,
  schema: ReplicaSet,
  storagePrefix: "/registry/replicasets",
  applyDefaults: defaultReplicaSet,
  strategy: {
    prepareForCreate: (replicaSet) => {
      replicaSet.status = { replicas: 0 };
    },
    validate: (replicaSet, ctx) => validateReplicaSetSpec(replicaSet.spec, field("spec"), ctx),
    prepareForUpdate: (replicaSet, old) => keep(replicaSet, old, "status"),
    validateUpdate: validateReplicaSetUpdate,
    warnings: (replicaSet, old) => [
      ...(old === undefined ? podNameWarnings(replicaSet.metadata.name) : []),
      ...podWarnings(replicaSet.spec.template, "spec.template"),
    ],
    generation: ({ spec }) => spec,
  },
  columns: [
    name(),
    column("Desired", "integer", "Number of pods wanted.", ({ spec }) => spec.replicas ?? 0),
    column("Current", "integer", "Number of pods that exist.", ({ status }) => status.replicas),
    column("Ready", "integer", "Number of pods that are ready.", ({ status }) => status.readyReplicas ?? 0),
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
        prepareForUpdate: (replicaSet, old) => keep(replicaSet, old, "spec"),
        validateUpdate: ({ status }) => validateReplicaSetStatus(status),
      },
    },
    scale: {
      type: "scale",
      get: ({ spec, status }) => ({
        specReplicas: spec.replicas ?? 0,
        statusReplicas: status.replicas,
        selector: labelSelectorAsSelector(spec.selector).toString(),
      }),
      set: (replicaSet, replicas) => {
        replicaSet.spec.replicas = replicas;
      },
    },
  },
});
