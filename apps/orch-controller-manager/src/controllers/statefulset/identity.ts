import type { apps, core } from "@orchernetes/api";
import { controllerRef, type OwnerReference, type Stored } from "@orchernetes/apimachinery";
import { type NewPod, podFromTemplate } from "@orchernetes/controller";
import { statefulSets } from "../../shared/refs.ts";

export type StatefulSet = Stored<apps.StatefulSet>;
export type Pod = Stored<core.Pod>;

/** Pods bear the name of their revision under this label. */
export const revisionLabel = "controller-revision-hash";
/** Pods bear their own name under this label, so that services can select one. */
export const podNameLabel = "statefulset.orchernetes.io/pod-name";

/** A claim to be created. */
export interface NewClaim {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly OwnerReference[];
  };
  readonly spec: core.PersistentVolumeClaimSpec;
}

/** The ordinal in a pod's name; undefined when the name is not one that the set gives. */
export function ordinalOf(set: StatefulSet, { metadata: { name } }: Pod): number | undefined {
  const prefix = `${set.metadata.name}-`;
  if (!name.startsWith(prefix)) return undefined;
  const text = name.slice(prefix.length);
  return /^(0|[1-9]\d{0,9})$/.test(text) ? Number(text) : undefined;
}

const claimName = (template: string, podName: string): string => `${template}-${podName}`;

/** The pod of one ordinal, of a revision's template. */
export function statefulPod(
  set: StatefulSet,
  template: core.PodTemplateSpec,
  revision: string,
  ordinal: number,
): NewPod & { readonly metadata: { readonly name: string } } {
  const pod = podFromTemplate(template, set, controllerRef(statefulSets, set));
  const name = `${set.metadata.name}-${ordinal}`;
  const templates = set.spec.volumeClaimTemplates ?? [];
  const claimed = new Set(templates.map(({ metadata }) => metadata.name));
  const volumes = [
    ...templates.map(({ metadata }) => ({
      name: metadata.name ?? "",
      persistentVolumeClaim: { claimName: claimName(metadata.name ?? "", name) },
    })),
    ...(pod.spec.volumes ?? []).filter((volume) => !claimed.has(volume.name)),
  ];
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      name,
      labels: { ...pod.metadata.labels, [podNameLabel]: name, [revisionLabel]: revision },
    },
    spec: {
      ...pod.spec,
      hostname: name,
      subdomain: set.spec.serviceName,
      ...(volumes.length === 0 ? {} : { volumes }),
    },
  };
}

/** The claims of the pod of one ordinal. With `whenDeleted: Delete` they go with the set. */
export function claimsOf(set: StatefulSet, podName: string): readonly NewClaim[] {
  const { name, namespace = "", uid } = set.metadata;
  const goes = set.spec.persistentVolumeClaimRetentionPolicy?.whenDeleted === "Delete";
  const ownerReferences = goes ? [{ apiVersion: "apps/v1", kind: "StatefulSet", name, uid }] : undefined;
  return (set.spec.volumeClaimTemplates ?? []).map(({ metadata, spec }) => ({
    metadata: {
      name: claimName(metadata.name ?? "", podName),
      namespace,
      labels: { ...metadata.labels, ...set.spec.selector.matchLabels } as Readonly<Record<string, string>>,
      ...(metadata.annotations === undefined ? {} : { annotations: metadata.annotations }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
    },
    spec,
  }));
}
