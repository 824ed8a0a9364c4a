import { type Draft, defineResource, field, formatLabelSelector } from "@orchernetes/apimachinery";
import { defaultPodTemplateSpec } from "../../core/v1/defaults/pod-spec.ts";
import { podWarnings } from "../../core/v1/warnings.ts";
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
import { keep } from "../../shared/drafts.ts";
import { semanticEqual } from "../../shared/immutable.ts";
import {
  validateDaemonSetSpec,
  validateDaemonSetStatusUpdate,
  validateDaemonSetUpdate,
} from "./daemon-set-validation.ts";
import { DaemonSet } from "./types/daemon-set.ts";

/** Counts the templates of a DaemonSet. The server writes it, for clients of the versions before ControllerRevision. */
export const templateGenerationAnnotation = "deprecated.daemonset.template.generation";

/** Sets the defaults of a DaemonSet: rolling update, one node at a time, ten old revisions. */
function defaultDaemonSet(daemonSet: Draft<DaemonSet>): void {
  const { spec } = daemonSet;
  defaultPodTemplateSpec(spec.template);
  spec.updateStrategy.type ||= "RollingUpdate";
  if (spec.updateStrategy.type === "RollingUpdate") {
    spec.updateStrategy.rollingUpdate ??= {};
    spec.updateStrategy.rollingUpdate.maxUnavailable ??= 1;
    spec.updateStrategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
}

/** The generation in the annotation; 0 if it is absent or not a number. */
function templateGeneration(daemonSet: DaemonSet): number {
  const text = daemonSet.metadata.annotations?.[templateGenerationAnnotation] ?? "";
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : 0;
}

function setTemplateGeneration(daemonSet: Draft<DaemonSet>, generation: number): void {
  daemonSet.metadata.annotations = {
    ...daemonSet.metadata.annotations,
    [templateGenerationAnnotation]: String(generation),
  };
}

/** `apps/v1` DaemonSets: one pod on each eligible node. */
export const daemonSets = defineResource<DaemonSet>({
  group: "apps",
  version: "v1",
  kind: "DaemonSet",
  plural: "daemonsets",
  singular: "daemonset",
  shortNames: ["ds"],
  categories: ["all"],
  scope: "Namespaced",
  verbs: allVerbs,
  schema: DaemonSet,
  storagePrefix: "/registry/daemonsets",
  applyDefaults: defaultDaemonSet,
  strategy: {
    prepareForCreate: (daemonSet) => {
      daemonSet.status = {
        currentNumberScheduled: 0,
        numberMisscheduled: 0,
        desiredNumberScheduled: 0,
        numberReady: 0,
      };
      setTemplateGeneration(daemonSet, Math.max(1, templateGeneration(daemonSet)));
    },
    validate: (daemonSet, ctx) => validateDaemonSetSpec(daemonSet.spec, field("spec"), ctx),
    prepareForUpdate: (daemonSet, old) => {
      keep(daemonSet, old, "status");
      const changed = !semanticEqual(daemonSet.spec.template, old.spec.template);
      setTemplateGeneration(daemonSet, templateGeneration(old) + (changed ? 1 : 0));
    },
    validateUpdate: validateDaemonSetUpdate,
    warnings: ({ spec }) => podWarnings(spec.template, "spec.template"),
    generation: ({ spec }) => spec,
  },
  columns: [
    name(),
    column(
      "Desired",
      "integer",
      "Number of nodes that should run the pod.",
      ({ status }) => status.desiredNumberScheduled,
    ),
    column(
      "Current",
      "integer",
      "Number of nodes that run at least one pod.",
      ({ status }) => status.currentNumberScheduled,
    ),
    column("Ready", "integer", "Number of nodes whose pod is ready.", ({ status }) => status.numberReady),
    column(
      "Up-to-date",
      "integer",
      "Number of nodes whose pod is of the current template.",
      ({ status }) => status.updatedNumberScheduled ?? 0,
    ),
    column(
      "Available",
      "integer",
      "Number of nodes whose pod has been ready for at least minReadySeconds.",
      ({ status }) => status.numberAvailable ?? 0,
    ),
    column("Node Selector", "string", "Labels a node must have.", ({ spec }) =>
      formatLabels(spec.template.spec.nodeSelector),
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
        prepareForUpdate: (daemonSet, old) => keep(daemonSet, old, "spec"),
        validateUpdate: ({ status }, old) => validateDaemonSetStatusUpdate(status, old.status),
      },
    },
  },
});
