import type { apps, core } from "@orchernetes/api";
import { labelSelectorAsSelector, type ObjectMeta } from "@orchernetes/apimachinery";
import { findCondition, isPodTerminal } from "@orchernetes/component-helpers";
import { AWAIT_MS, type Plan } from "@orchernetes/controller";
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

/** Everything that determines the next step of a Deployment. */
export interface DeploymentState {
  readonly deployment: Deployment;
  /** The ReplicaSets that the Deployment controls. */
  readonly replicaSets: readonly ReplicaSet[];
  /** The pods of a ReplicaSet. */
  readonly podsOf: (set: ReplicaSet) => Iterable<core.Pod>;
  /** Whether the ReplicaSets are as the controller wrote them last, or newer. */
  readonly settled: boolean;
}

/** A ReplicaSet that should be created. */
export interface NewReplicaSet {
  readonly metadata: ObjectMeta & { readonly name: string };
  readonly spec: apps.ReplicaSetSpec;
}

/** A write of the controller, in the order of the plan. */
export type DeploymentAction =
  /** If another template already has the name, the Deployment's collision count is incremented. */
  | { readonly type: "CreateReplicaSet"; readonly replicaSet: NewReplicaSet }
  | { readonly type: "UpdateReplicaSet"; readonly replicaSet: ReplicaSet; readonly from: number }
  | { readonly type: "DeleteReplicaSet"; readonly replicaSet: ReplicaSet }
  /** Writes status and annotations; neither changes the generation. */
  | { readonly type: "UpdateStatus"; readonly deployment: Deployment }
  | { readonly type: "Warn"; readonly reason: string; readonly message: string };

/**
 * Takes one step towards pods of the current template. Pure. The changes of the ReplicaSets that a step causes trigger
 * the next step; no step is taken before they are visible.
 */
export function reconcile(state: DeploymentState, now: Date): Plan<DeploymentAction> {
  const { deployment, settled } = state;
  if (!settled) return { actions: [], requeueAfterMs: AWAIT_MS };
  if (labelSelectorAsSelector(deployment.spec.selector).empty) {
    return selectingAll(deployment);
  }
  const members = membersOf(deployment, state.replicaSets);
  if (deployment.metadata.deletionTimestamp !== undefined) {
    return finish(deployment, members, [], calculateStatus(deployment, members, now), now);
  }
  const seen = recordPause(deployment, now);
  if (seen.spec.paused || isScalingEvent(seen, members)) return scaleOnly(seen, deployment, members, now);
  return isRollingUpdate(seen) ? rolling(seen, deployment, members, now) : recreate(state, seen, members, now);
}

/** A Deployment that selects all pods is not rolled out; only its observed generation is written. */
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

/** Records pausing and resuming as conditions: pausing stops the progress deadline, resuming restarts it. */
function recordPause(deployment: Deployment, now: Date): Deployment {
  if (!hasProgressDeadline(deployment)) return deployment;
  const conditions = deployment.status.conditions ?? [];
  const reason = findCondition(conditions, "Progressing")?.reason;
  if (reason === "ProgressDeadlineExceeded") return deployment;
  const recorded = reason === "DeploymentPaused";
  const paused = deployment.spec.paused === true;
  if (paused === recorded) return deployment;
  const next = paused
    ? condition("Progressing", "Unknown", "DeploymentPaused", "Deployment is paused", now)
    : condition("Progressing", "Unknown", "DeploymentResumed", "Deployment is resumed", now);
  return { ...deployment, status: { ...deployment.status, conditions: setCondition(conditions, next) } };
}

/** Scales a paused Deployment, or one whose size was changed, without continuing the rollout. */
function scaleOnly(seen: Deployment, original: Deployment, members: Members, now: Date): Plan<DeploymentAction> {
  const recorded = recordCurrent(seen, members, now);
  scale(recorded, members);
  const doomed = recorded.spec.paused ? surplusHistory(recorded, members) : [];
  return finish(recorded, members, doomed, calculateStatus(recorded, members, now), now, original);
}

/** Takes a step of strategy RollingUpdate. */
function rolling(seen: Deployment, original: Deployment, members: Members, now: Date): Plan<DeploymentAction> {
  const { current } = members;
  if (current === undefined) return begin(seen, original, members, now);
  const recorded = recordCurrent(seen, members, now);
  rollingStep(recorded, members, current);
  const doomed = isComplete(recorded, recorded.status) ? surplusHistory(recorded, members) : [];
  return finish(recorded, members, doomed, rolloutStatus(recorded, members, now), now, original);
}

/** Takes a step of strategy Recreate: all old pods end before the first new one starts. */
function recreate(state: DeploymentState, seen: Deployment, members: Members, now: Date): Plan<DeploymentAction> {
  const { current, old } = members;
  const recorded = recordCurrent(seen, members, now);
  const done = (doomed: readonly ReplicaSet[] = []): Plan<DeploymentAction> =>
    finish(recorded, members, doomed, rolloutStatus(recorded, members, now), now, state.deployment);
  const running = old.filter(({ replicas }) => replicas > 0);
  for (const member of running) scaleTo(recorded, member, 0);
  // Strategy Recreate: no pod of the new template starts before the last old pod has ended.
  if (running.length > 0 || old.some(({ set }) => anyRunning(state.podsOf(set)))) return done();
  if (current === undefined) return begin(seen, state.deployment, members, now);
  if (current.replicas !== replicasOf(recorded)) scaleTo(recorded, current, replicasOf(recorded));
  return done(isComplete(recorded, recorded.status) ? surplusHistory(recorded, members) : []);
}

function anyRunning(pods: Iterable<core.Pod>): boolean {
  for (const pod of pods) if (!isPodTerminal(pod)) return true;
  return false;
}

/** Creates the ReplicaSet of the current template. The next step follows when the cache contains it. */
function begin(seen: Deployment, original: Deployment, members: Members, now: Date): Plan<DeploymentAction> {
  const replicaSet = newReplicaSet(seen, members);
  const message = `Created new replica set "${replicaSet.metadata.name}"`;
  const recorded = recordRevision(seen, nextRevision(members), () =>
    condition("Progressing", "True", "NewReplicaSetCreated", message, now),
  );
  const create: DeploymentAction = { type: "CreateReplicaSet", replicaSet };
  const plan = finish(recorded, members, [], calculateStatus(recorded, members, now), now, original);
  return { ...plan, actions: [create, ...plan.actions] };
}

/** The Deployment with the revision of the current ReplicaSet, and a first Progressing condition if it has none. */
function recordCurrent(deployment: Deployment, members: Members, now: Date): Deployment {
  const { current } = members;
  if (current === undefined) return deployment;
  const revision = syncCurrent(deployment, current, nextRevision(members));
  if (findCondition(deployment.status.conditions, "Progressing") !== undefined) {
    return recordRevision(deployment, revision);
  }
  const message = `Found new replica set "${current.set.metadata.name}"`;
  return recordRevision(deployment, revision, () =>
    condition("Progressing", "True", "FoundNewReplicaSet", message, now),
  );
}

function recordRevision(
  deployment: Deployment,
  revision: bigint,
  progress?: () => apps.DeploymentCondition,
): Deployment {
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

/** Old ReplicaSets beyond the history limit that have no pods, lowest revision first. */
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

/** Builds the plan: writes of changed ReplicaSets, deletions, and the status if it differs from the original. */
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

/** The ReplicaSet with the desired values; undefined if it has them. */
function changed({ set, replicas, annotations, minReadySeconds }: Member): ReplicaSet | undefined {
  const sameSpec = set.spec.replicas === replicas && (set.spec.minReadySeconds ?? 0) === minReadySeconds;
  if (sameSpec && semanticEqual(annotations, set.metadata.annotations)) return undefined;
  return {
    ...set,
    metadata: { ...set.metadata, annotations },
    spec: { ...set.spec, replicas, minReadySeconds },
  };
}
