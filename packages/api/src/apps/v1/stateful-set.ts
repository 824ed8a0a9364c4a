import { type Draft, defineResource, field, labelSelectorAsSelector } from "@orchernetes/apimachinery";
import { defaultPodTemplateSpec } from "../../core/v1/defaults/pod-spec.ts";
import { podWarnings } from "../../core/v1/warnings.ts";
import { age, column, containerImages, containerNames, name } from "../../shared/columns.ts";
import { allVerbs, subresourceVerbs } from "../../shared/definitions.ts";
import { keep } from "../../shared/drafts.ts";
import { podNameWarnings } from "../../shared/pod-name-warnings.ts";
import {
  validateStatefulSetSpec,
  validateStatefulSetStatusUpdate,
  validateStatefulSetUpdate,
} from "./stateful-set-validation.ts";
import { StatefulSet } from "./types/stateful-set.ts";

/** Sets the defaults of a StatefulSet: one replica, ordered creation, rolling updates; claims are retained. */
function defaultStatefulSet(statefulSet: Draft<StatefulSet>): void {
  const { spec } = statefulSet;
  defaultPodTemplateSpec(spec.template);
  spec.podManagementPolicy ||= "OrderedReady";
  if (!spec.updateStrategy.type) {
    spec.updateStrategy.type = "RollingUpdate";
    spec.updateStrategy.rollingUpdate ??= {};
  }
  if (spec.updateStrategy.type === "RollingUpdate" && spec.updateStrategy.rollingUpdate !== undefined) {
    spec.updateStrategy.rollingUpdate.partition ??= 0;
  }
  spec.persistentVolumeClaimRetentionPolicy ??= {};
  spec.persistentVolumeClaimRetentionPolicy.whenDeleted ||= "Retain";
  spec.persistentVolumeClaimRetentionPolicy.whenScaled ||= "Retain";
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  for (const claim of spec.volumeClaimTemplates ?? []) {
    // Templates are whole claims, so they get the defaults of stored ones, including the phase.
    claim.kind = "PersistentVolumeClaim";
    claim.apiVersion = "v1";
    claim.status ??= {};
    claim.status.phase ||= "Pending";
    claim.spec.volumeMode ??= "Filesystem";
  }
}

/**
 * `apps/v1` StatefulSets: pods with stable names, host names and volumes. The pods are created and deleted in order,
 * unless `podManagementPolicy` says otherwise.
 */
export const statefulSets = defineResource<StatefulSet>({
  group: "apps",
  version: "v1",
  kind: "StatefulSet",
  plural: "statefulsets",
  singular: "statefulset",
  shortNames: ["sts"],
  categories: ["all"],
  scope: "Namespaced",
  verbs: allVerbs,
  schema: StatefulSet,
  storagePrefix: "/registry/statefulsets",
  applyDefaults: defaultStatefulSet,
  strategy: {
    prepareForCreate: (statefulSet, ctx) => {
      statefulSet.status = { replicas: 0, availableReplicas: 0 };
      // Defaults cannot depend on feature gates, so this default of KEP-961 is set here.
      const { rollingUpdate } = statefulSet.spec.updateStrategy;
      if (rollingUpdate !== undefined && ctx.featureEnabled("MaxUnavailableStatefulSet")) {
        rollingUpdate.maxUnavailable ??= 1;
      }
    },
    validate: (statefulSet) => validateStatefulSetSpec(statefulSet.spec, field("spec")),
    prepareForUpdate: (statefulSet, old) => keep(statefulSet, old, "status"),
    validateUpdate: validateStatefulSetUpdate,
    warnings: (statefulSet, old) => [
      ...(old === undefined ? podNameWarnings(statefulSet.metadata.name) : []),
      ...podWarnings(statefulSet.spec.template, "spec.template"),
    ],
    generation: ({ spec }) => spec,
  },
  columns: [
    name(),
    column(
      "Ready",
      "string",
      "Ready pods of the desired ones.",
      ({ spec, status }) => `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
    ),
    age(),
    containerNames(({ spec }) => spec.template),
    containerImages(({ spec }) => spec.template),
  ],
  subresources: {
    status: {
      type: "status",
      verbs: subresourceVerbs,
      strategy: {
        prepareForUpdate: (statefulSet, old) => keep(statefulSet, old, "spec"),
        validateUpdate: ({ status }, old) => validateStatefulSetStatusUpdate(status, old.status),
      },
    },
    scale: {
      type: "scale",
      get: ({ spec, status }) => ({
        specReplicas: spec.replicas ?? 0,
        statusReplicas: status.replicas,
        selector: labelSelectorAsSelector(spec.selector).toString(),
      }),
      set: (statefulSet, replicas) => {
        statefulSet.spec.replicas = replicas;
      },
    },
  },
});
