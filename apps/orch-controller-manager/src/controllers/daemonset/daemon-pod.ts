import type { apps, core } from "@orchernetes/api";
import { controllerRef, type Stored } from "@orchernetes/apimachinery";
import { type NewPod, podFromTemplate } from "@orchernetes/controller";
import { daemonSets } from "../../shared/refs.ts";
import { tolerationsOf } from "./node-fit.ts";

export type DaemonSet = Stored<apps.DaemonSet>;
export type Pod = Stored<core.Pod>;

/** Pods and revisions bear the hash of the template under this label. */
export const hashLabel = "controller-revision-hash";
const generationLabel = "pod-template-generation";
const generationAnnotation = "deprecated.daemonset.template.generation";

const generationOf = ({ metadata }: DaemonSet): string | undefined => metadata.annotations?.[generationAnnotation];

/** The pod for one node: bound there by affinity, so that the scheduler places it. */
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

/** The node that a daemon's pod is on, or meant for. */
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

/** Whether the pod is of the set's present template. */
export function isUpdated({ metadata: { labels } }: Pod, set: DaemonSet, hash: string): boolean {
  if (labels?.[hashLabel] === hash) return true;
  const generation = generationOf(set);
  return generation !== undefined && labels?.[generationLabel] === generation;
}
