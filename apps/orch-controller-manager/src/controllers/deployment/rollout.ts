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

export type Deployment = Stored<apps.Deployment>;
export type ReplicaSet = Stored<apps.ReplicaSet>;

const hashLabel = "pod-template-hash";

/** A ReplicaSet while a decision is made: what it is, and what it is to become. */
export interface Member {
  readonly set: ReplicaSet;
  replicas: number;
  annotations: Readonly<Record<string, string>>;
  minReadySeconds: number;
}

/** The ReplicaSets of a Deployment, the current one told from the old ones. */
export interface Members {
  /** The one whose template is the Deployment's. */
  readonly current: Member | undefined;
  /** Oldest first. */
  readonly old: readonly Member[];
  readonly all: readonly Member[];
}

const byAge = (a: ReplicaSet, b: ReplicaSet): number =>
  a.metadata.creationTimestamp === b.metadata.creationTimestamp
    ? compareText(a.metadata.name, b.metadata.name)
    : compareText(a.metadata.creationTimestamp, b.metadata.creationTimestamp);
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Sorts a Deployment's ReplicaSets. Of several with the same template the oldest is the current one. */
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

/** Whether a ReplicaSet was made from the Deployment's present template. */
export function sameTemplate(set: ReplicaSet, deployment: Deployment): boolean {
  return semanticEqual(withoutHash(set.spec.template), withoutHash(deployment.spec.template));
}

function withoutHash(template: ReplicaSet["spec"]["template"]): unknown {
  const labels = template.metadata?.labels;
  if (labels?.[hashLabel] === undefined) return template;
  const { [hashLabel]: _, ...rest } = labels;
  return { ...template, metadata: { ...template.metadata, labels: rest } };
}

/** Revision that the current ReplicaSet is to have. */
export function nextRevision(members: Members): bigint {
  return maxRevision(members.old.map(({ set }) => set)) + 1n;
}

/** Brings the current ReplicaSet's annotations and minReadySeconds up to date; returns the Deployment's revision. */
export function syncCurrent(deployment: Deployment, member: Member, revision: bigint): bigint {
  member.annotations = newReplicaSetAnnotations(deployment.metadata.annotations, member.annotations, revision);
  member.minReadySeconds = deployment.spec.minReadySeconds ?? 0;
  return revisionOf(member.annotations);
}

/** Gives a member a size, and notes the Deployment's size at that time. */
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

export const replicaCount = (members: readonly Member[]): number =>
  members.reduce((sum, { replicas }) => sum + replicas, 0);

export const availableCount = (members: readonly Member[]): number =>
  members.reduce((sum, { set }) => sum + (set.status.availableReplicas ?? 0), 0);

/** How large the current ReplicaSet may be now: all at once, or as far as surge allows. */
export function currentSize(deployment: Deployment, members: readonly Member[], have: number): number {
  const wanted = replicasOf(deployment);
  if (!isRollingUpdate(deployment)) return wanted;
  const room = wanted + maxSurge(deployment) - replicaCount(members);
  return room <= 0 ? have : have + Math.min(room, wanted - have);
}

/** The ReplicaSet for the Deployment's present template. */
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
