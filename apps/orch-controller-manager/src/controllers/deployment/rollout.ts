import type { apps } from "@orchernetes/api";
import { controllerRef, type OwnerReference, type Stored } from "@orchernetes/apimachinery";
import { deployments } from "../../shared/refs.ts";
import { semanticEqual } from "../../shared/semantic-equal.ts";
import { templateHash } from "../../shared/template-hash.ts";
import {
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  maxRevision,
  newReplicaSetAnnotations,
  revisionOf,
} from "./annotations.ts";
import { isRollingUpdate, maxSurge, replicasOf } from "./limits.ts";
import type { NewReplicaSet } from "./reconcile.ts";

/** A Deployment as the API server returns it. */
export type Deployment = Stored<apps.Deployment>;
/** A ReplicaSet as the API server returns it. */
export type ReplicaSet = Stored<apps.ReplicaSet>;

const hashLabel = "pod-template-hash";

/** A ReplicaSet during a decision: its current state, and the mutable desired values. */
export interface Member {
  readonly set: ReplicaSet;
  replicas: number;
  annotations: Readonly<Record<string, string>>;
  minReadySeconds: number;
}

/** The ReplicaSets of a Deployment, divided into the current one and old ones. */
export interface Members {
  /** The ReplicaSet with the Deployment's current template. */
  readonly current: Member | undefined;
  /** Oldest first. */
  readonly old: readonly Member[];
  readonly all: readonly Member[];
}

/** Sorts by creation time, and by name within the same second. */
const byAge = (a: ReplicaSet, b: ReplicaSet): number =>
  a.metadata.creationTimestamp === b.metadata.creationTimestamp
    ? compareText(a.metadata.name, b.metadata.name)
    : compareText(a.metadata.creationTimestamp, b.metadata.creationTimestamp);
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Finds the current ReplicaSet among those of a Deployment. If several have the same template, the oldest is current.
 */
export function membersOf(deployment: Deployment, sets: readonly ReplicaSet[]): Members {
  const all = [...sets].sort(byAge).map(
    (set): Member => ({
      set,
      replicas: set.spec.replicas ?? 1,
      annotations: set.metadata.annotations ?? {},
      minReadySeconds: set.spec.minReadySeconds ?? 0,
    }),
  );
  const current = all.find(({ set }) => sameTemplate(set, deployment));
  return { current, old: all.filter((member) => member !== current), all };
}

/** Whether a ReplicaSet was created from the Deployment's current template. */
export function sameTemplate(set: ReplicaSet, deployment: Deployment): boolean {
  return semanticEqual(withoutHash(set.spec.template), withoutHash(deployment.spec.template));
}

/** The template without the hash label, which the controller adds to the templates of ReplicaSets. */
function withoutHash(template: ReplicaSet["spec"]["template"]): unknown {
  const labels = template.metadata?.labels;
  if (labels?.[hashLabel] === undefined) return template;
  const { [hashLabel]: _, ...rest } = labels;
  return { ...template, metadata: { ...template.metadata, labels: rest } };
}

/** The revision that the current ReplicaSet should have. */
export function nextRevision(members: Members): bigint {
  return maxRevision(members.old.map(({ set }) => set)) + 1n;
}

/** Updates annotations and minReadySeconds of the current ReplicaSet. Returns the Deployment's revision. */
export function syncCurrent(deployment: Deployment, member: Member, revision: bigint): bigint {
  member.annotations = newReplicaSetAnnotations(deployment.metadata.annotations, member.annotations, revision);
  member.minReadySeconds = deployment.spec.minReadySeconds ?? 0;
  return revisionOf(member.annotations);
}

/** Scales a ReplicaSet, and records the Deployment's size at that time in annotations. */
export function scaleTo(deployment: Deployment, member: Member, replicas: number): void {
  member.replicas = replicas;
  member.annotations = { ...member.annotations, ...sizeAnnotations(deployment) };
}

function sizeAnnotations(deployment: Deployment): Readonly<Record<string, string>> {
  const replicas = replicasOf(deployment);
  return {
    [desiredReplicasAnnotation]: String(replicas),
    [maxReplicasAnnotation]: String(replicas + maxSurge(deployment)),
  };
}

/** Sum of the desired sizes of ReplicaSets. */
export const replicaCount = (members: readonly Member[]): number =>
  members.reduce((sum, { replicas }) => sum + replicas, 0);

/** Sum of the available pods of ReplicaSets. */
export const availableCount = (members: readonly Member[]): number =>
  members.reduce((sum, { set }) => sum + (set.status.availableReplicas ?? 0), 0);

/** The maximum size of the current ReplicaSet now: all replicas, or during a rolling update what surge allows. */
export function currentSize(deployment: Deployment, members: readonly Member[], have: number): number {
  const wanted = replicasOf(deployment);
  if (!isRollingUpdate(deployment)) return wanted;
  const room = wanted + maxSurge(deployment) - replicaCount(members);
  return room <= 0 ? have : have + Math.min(room, wanted - have);
}

/** The ReplicaSet for the Deployment's current template. */
export function newReplicaSet(deployment: Deployment, members: Members): NewReplicaSet {
  const { spec, metadata, status } = deployment;
  const hash = templateHash(spec.template, status.collisionCount ?? 0);
  const labels = { ...spec.template.metadata?.labels, [hashLabel]: hash };
  const ownerReferences: readonly OwnerReference[] = [controllerRef(deployments, deployment)];
  return {
    metadata: {
      name: `${metadata.name}-${hash}`,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      labels,
      annotations: {
        ...newReplicaSetAnnotations(metadata.annotations, {}, nextRevision(members)),
        ...sizeAnnotations(deployment),
      },
      ownerReferences,
    },
    spec: {
      replicas: currentSize(deployment, members.all, 0),
      ...(spec.minReadySeconds ? { minReadySeconds: spec.minReadySeconds } : {}),
      selector: { ...spec.selector, matchLabels: { ...spec.selector.matchLabels, [hashLabel]: hash } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  };
}
