import type { apps, core } from "@orchernetes/api";
import { controllerRef, type OwnerReference, type Stored } from "@orchernetes/apimachinery";
import { type NewPod, podFromTemplate } from "@orchernetes/controller";
import { statefulSets } from "../../shared/refs.ts";

/** A StatefulSet as the API server returns it. */
export type StatefulSet = Stored<apps.StatefulSet>;
/** A Pod as the API server returns it. */
export type Pod = Stored<core.Pod>;

/** Label of a pod with the name of its revision. */
export const revisionLabel = "controller-revision-hash";
/** Label of a pod with its own name, so that a service can select a single pod. */
export const podNameLabel = "statefulset.orchernetes.io/pod-name";

/** A claim that should be created. */
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

/** The ordinal in a pod's name; undefined if the name does not belong to the set. */
export function ordinalOf(set: StatefulSet, { metadata: { name } }: Pod): number | undefined {
  const prefix = `${set.metadata.name}-`;
  if (!name.startsWith(prefix)) return undefined;
  const text = name.slice(prefix.length);
  return /^(0|[1-9]\d{0,9})$/.test(text) ? Number(text) : undefined;
}

const claimName = (template: string, podName: string): string => `${template}-${podName}`;

/** The pod for an ordinal, created from the template of a revision. */
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

/** The claims of a pod. With `whenDeleted: Delete`, the set owns them, so that they are deleted with it (KEP-1847). */
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
