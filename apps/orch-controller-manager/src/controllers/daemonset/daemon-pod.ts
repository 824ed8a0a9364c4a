import type { apps, core } from "@orchernetes/api";
import { controllerRef, type Stored } from "@orchernetes/apimachinery";
import { type NewPod, podFromTemplate } from "@orchernetes/controller";
import { daemonSets } from "../../shared/refs.ts";
import { tolerationsOf } from "./node-fit.ts";

/** A DaemonSet as the API server returns it. */
export type DaemonSet = Stored<apps.DaemonSet>;
/** A Pod as the API server returns it. */
export type Pod = Stored<core.Pod>;

/** Label of pods and revisions with the hash of the template. */
export const hashLabel = "controller-revision-hash";
/**
 * Label and annotation of sets that were created before there were revisions; their pods count as updated by
 * generation.
 */
const generationLabel = "pod-template-generation";
const generationAnnotation = "deprecated.daemonset.template.generation";

const generationOf = ({ metadata }: DaemonSet): string | undefined => metadata.annotations?.[generationAnnotation];

/** The pod for one node. Its node affinity matches only that node, so that the scheduler binds it there. */
export function daemonPod(set: DaemonSet, hash: string, nodeName: string): NewPod {
  const pod = podFromTemplate(set.spec.template, set, controllerRef(daemonSets, set));
  const generation = generationOf(set);
  const nodeSelectorTerms = [{ matchFields: [{ key: "metadata.name", operator: "In" as const, values: [nodeName] }] }];
  const { affinity } = pod.spec;
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: {
        ...pod.metadata.labels,
        ...(generation === undefined ? {} : { [generationLabel]: generation }),
        [hashLabel]: hash,
      },
    },
    spec: {
      ...pod.spec,
      affinity: {
        ...affinity,
        nodeAffinity: {
          ...affinity?.nodeAffinity,
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
        },
      },
      tolerations: [...tolerationsOf(pod.spec)],
    },
  };
}

/** The node to which a daemon pod is bound or restricted. */
export function targetNode({ spec }: Pod): string | undefined {
  if (spec.nodeName) return spec.nodeName;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  for (const { matchFields = [] } of required?.nodeSelectorTerms ?? []) {
    for (const { key, operator, values = [] } of matchFields) {
      if (key === "metadata.name" && operator === "In" && values.length === 1) return values[0];
    }
  }
  return undefined;
}

/** Whether the pod was created from the current template of the set. */
export function isUpdated({ metadata: { labels } }: Pod, set: DaemonSet, hash: string): boolean {
  if (labels?.[hashLabel] === hash) return true;
  const generation = generationOf(set);
  return generation !== undefined && labels?.[generationLabel] === generation;
}
