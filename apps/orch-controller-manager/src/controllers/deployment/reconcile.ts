import type { apps, core } from "@orchernetes/api";
import { labelSelectorAsSelector, type ObjectMeta } from "@orchernetes/apimachinery";
import { findCondition, isPodTerminal } from "@orchernetes/component-helpers";
import type { Plan } from "@orchernetes/controller";
import { semanticEqual } from "../../shared/semantic-equal.ts";
import { revisionOf, withRevision } from "./annotations.ts";
import { condition, setCondition } from "./conditions.ts";
import { isRollingUpdate, replicasOf } from "./limits.ts";
import {
  type Deployment,
  type Member,
  type Members,
  membersOf,
  newReplicaSet,
  nextRevision,
  type ReplicaSet,
  scaleTo,
  syncCurrent,
} from "./rollout.ts";
import { isScalingEvent, rollingStep, scale } from "./scaling.ts";
import { calculateStatus, hasProgressDeadline, isComplete, nextDeadlineMs, rolloutStatus } from "./status.ts";

export interface DeploymentState {
  readonly deployment: Deployment;
  /** The ReplicaSets it controls. */
  readonly replicaSets: readonly ReplicaSet[];
  /** Pods of one of them. */
  readonly podsOf: (set: ReplicaSet) => Iterable<core.Pod>;
}

/** A ReplicaSet to be created. */
export interface NewReplicaSet {
  readonly metadata: ObjectMeta & { readonly name: string };
  readonly spec: apps.ReplicaSetSpec;
}

export type DeploymentAction =
  /** A name that another template has taken raises the Deployment's collision count. */
  | { readonly type: "CreateReplicaSet"; readonly replicaSet: NewReplicaSet }
  | { readonly type: "UpdateReplicaSet"; readonly replicaSet: ReplicaSet; readonly from: number }
  | { readonly type: "DeleteReplicaSet"; readonly replicaSet: ReplicaSet }
  /** Status, and annotations: neither makes a new generation. */
  | { readonly type: "UpdateStatus"; readonly deployment: Deployment }
  | { readonly type: "Warn"; readonly reason: string; readonly message: string };

/**
 * One step towards pods of the current template. Each step waits for what it causes: the ReplicaSets' new state brings the
 * next.
 */
export function reconcile(state: DeploymentState, now: Date): Plan<DeploymentAction> {
  const { deployment } = state;
  if (labelSelectorAsSelector(deployment.spec.selector).empty) {
    return selectingAll(deployment);
  }
  const members = membersOf(deployment, state.replicaSets);
  if (deployment.metadata.deletionTimestamp !== undefined) {
    return finish(deployment, members, [], calculateStatus(deployment, members, now), now);
  }
  const seen = notePause(deployment, now);
  if (seen.spec.paused || isScalingEvent(seen, members)) return scaleOnly(seen, deployment, members, now);
  return isRollingUpdate(seen) ? rolling(seen, deployment, members, now) : recreate(state, seen, members, now);
}

function selectingAll(deployment: Deployment): Plan<DeploymentAction> {
  const actions: DeploymentAction[] = [
    {
      type: "Warn",
      reason: "SelectingAll",
      message: "This deployment is selecting all pods. A non-empty selector is required.",
    },
  ];
  const { generation } = deployment.metadata;
  if ((deployment.status.observedGeneration ?? 0) < (generation ?? 0)) {
    const status = { ...deployment.status, observedGeneration: generation };
    actions.push({ type: "UpdateStatus", deployment: { ...deployment, status } });
  }
  return { actions };
}

/** Pausing stops the clock of the progress deadline, resuming starts it anew. */
function notePause(deployment: Deployment, now: Date): Deployment {
  if (!hasProgressDeadline(deployment)) return deployment;
  const conditions = deployment.status.conditions ?? [];
  const reason = findCondition(conditions, "Progressing")?.reason;
  if (reason === "ProgressDeadlineExceeded") return deployment;
  const noted = reason === "DeploymentPaused";
  const paused = deployment.spec.paused === true;
  if (paused === noted) return deployment;
  const next = paused
    ? condition("Progressing", "Unknown", "DeploymentPaused", "Deployment is paused", now)
    : condition("Progressing", "Unknown", "DeploymentResumed", "Deployment is resumed", now);
  return { ...deployment, status: { ...deployment.status, conditions: setCondition(conditions, next) } };
}

function scaleOnly(seen: Deployment, original: Deployment, members: Members, now: Date): Plan<DeploymentAction> {
  const noted = noteCurrent(seen, members, now);
  scale(noted, members);
  const doomed = noted.spec.paused ? surplusHistory(noted, members) : [];
  return finish(noted, members, doomed, calculateStatus(noted, members, now), now, original);
}

function rolling(seen: Deployment, original: Deployment, members: Members, now: Date): Plan<DeploymentAction> {
  const { current } = members;
  if (current === undefined) return begin(seen, original, members, now);
  const noted = noteCurrent(seen, members, now);
  rollingStep(noted, members, current);
  const doomed = isComplete(noted, noted.status) ? surplusHistory(noted, members) : [];
  return finish(noted, members, doomed, rolloutStatus(noted, members, now), now, original);
}

function recreate(state: DeploymentState, seen: Deployment, members: Members, now: Date): Plan<DeploymentAction> {
  const { current, old } = members;
  const noted = noteCurrent(seen, members, now);
  const done = (doomed: readonly ReplicaSet[] = []): Plan<DeploymentAction> =>
    finish(noted, members, doomed, rolloutStatus(noted, members, now), now, state.deployment);
  const running = old.filter(({ replicas }) => replicas > 0);
  for (const member of running) scaleTo(noted, member, 0);
  // No pod of the new template before the last of the old ones has ended.
  if (running.length > 0 || old.some(({ set }) => anyRunning(state.podsOf(set)))) return done();
  if (current === undefined) return begin(seen, state.deployment, members, now);
  if (current.replicas !== replicasOf(noted)) scaleTo(noted, current, replicasOf(noted));
  return done(isComplete(noted, noted.status) ? surplusHistory(noted, members) : []);
}

function anyRunning(pods: Iterable<core.Pod>): boolean {
  for (const pod of pods) if (!isPodTerminal(pod)) return true;
  return false;
}

/** Makes the ReplicaSet of the current template. What follows waits for it to be seen. */
function begin(seen: Deployment, original: Deployment, members: Members, now: Date): Plan<DeploymentAction> {
  const replicaSet = newReplicaSet(seen, members);
  const message = `Created new replica set "${replicaSet.metadata.name}"`;
  const noted = noteRevision(seen, nextRevision(members), () =>
    condition("Progressing", "True", "NewReplicaSetCreated", message, now),
  );
  const create: DeploymentAction = { type: "CreateReplicaSet", replicaSet };
  const plan = finish(noted, members, [], calculateStatus(noted, members, now), now, original);
  return { ...plan, actions: [create, ...plan.actions] };
}

/** The Deployment with the current ReplicaSet's revision, and a first condition when it has none. */
function noteCurrent(deployment: Deployment, members: Members, now: Date): Deployment {
  const { current } = members;
  if (current === undefined) return deployment;
  const revision = syncCurrent(deployment, current, nextRevision(members));
  if (findCondition(deployment.status.conditions, "Progressing") !== undefined) {
    return noteRevision(deployment, revision);
  }
  const message = `Found new replica set "${current.set.metadata.name}"`;
  return noteRevision(deployment, revision, () => condition("Progressing", "True", "FoundNewReplicaSet", message, now));
}

function noteRevision(deployment: Deployment, revision: bigint, progress?: () => apps.DeploymentCondition): Deployment {
  const { metadata, status } = deployment;
  const annotations =
    revisionOf(metadata.annotations) === revision ? metadata.annotations : withRevision(metadata.annotations, revision);
  const conditions =
    progress === undefined || !hasProgressDeadline(deployment)
      ? status.conditions
      : setCondition(status.conditions ?? [], progress());
  return {
    ...deployment,
    metadata: { ...metadata, ...(annotations === undefined ? {} : { annotations }) },
    status: { ...status, ...(conditions === undefined ? {} : { conditions }) },
  };
}

/** Old ReplicaSets beyond the history limit, lowest revision first, that nothing runs in. */
function surplusHistory(deployment: Deployment, { old }: Members): readonly ReplicaSet[] {
  const limit = deployment.spec.revisionHistoryLimit ?? Number.POSITIVE_INFINITY;
  const sets = old.map(({ set }) => set).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (sets.length <= limit) return [];
  return sets
    .sort((a, b) => Number(revisionOf(a.metadata.annotations) - revisionOf(b.metadata.annotations)))
    .slice(0, sets.length - limit)
    .filter(
      ({ spec, status, metadata }) =>
        status.replicas === 0 && spec.replicas === 0 && (metadata.generation ?? 0) <= (status.observedGeneration ?? 0),
    );
}

function finish(
  deployment: Deployment,
  members: Members,
  doomed: readonly ReplicaSet[],
  status: apps.DeploymentStatus,
  now: Date,
  original: Deployment = deployment,
): Plan<DeploymentAction> {
  const actions: DeploymentAction[] = [];
  for (const member of members.all) {
    const replicaSet = changed(member);
    if (replicaSet !== undefined) {
      actions.push({ type: "UpdateReplicaSet", replicaSet, from: member.set.spec.replicas ?? 1 });
    }
  }
  for (const replicaSet of doomed) actions.push({ type: "DeleteReplicaSet", replicaSet });
  const next: Deployment = { ...deployment, status };
  const same =
    semanticEqual(next.status, original.status) &&
    semanticEqual(next.metadata.annotations, original.metadata.annotations);
  if (!same) actions.push({ type: "UpdateStatus", deployment: next });
  const requeueAfterMs = deployment.spec.paused ? undefined : nextDeadlineMs(deployment, status, now);
  return requeueAfterMs === undefined ? { actions } : { actions, requeueAfterMs };
}

function changed({ set, replicas, annotations, minReadySeconds }: Member): ReplicaSet | undefined {
  const sameSpec = set.spec.replicas === replicas && (set.spec.minReadySeconds ?? 0) === minReadySeconds;
  if (sameSpec && semanticEqual(annotations, set.metadata.annotations)) return undefined;
  return {
    ...set,
    metadata: { ...set.metadata, annotations },
    spec: { ...set.spec, replicas, minReadySeconds },
  };
}
