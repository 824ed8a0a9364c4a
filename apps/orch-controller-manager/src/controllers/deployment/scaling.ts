import { countAnnotation, desiredReplicasAnnotation, maxReplicasAnnotation } from "./annotations.ts";
import { isRollingUpdate, maxSurge, maxUnavailable, replicasOf } from "./limits.ts";
import { currentSize, type Deployment, type Member, type Members, replicaCount, scaleTo } from "./rollout.ts";

const active = (members: readonly Member[]): readonly Member[] => members.filter(({ replicas }) => replicas > 0);

/** Whether the Deployment was scaled since its ReplicaSets were last scaled. */
export function isScalingEvent(deployment: Deployment, { all }: Members): boolean {
  return active(all).some(({ annotations }) => {
    const desired = countAnnotation(annotations, desiredReplicasAnnotation);
    return desired !== undefined && desired !== replicasOf(deployment);
  });
}

/**
 * Scales the ReplicaSets to the Deployment's size without continuing the rollout. A single active ReplicaSet gets all
 * replicas; if the current one is saturated, the old ones are scaled to 0; in the middle of a rolling update, all are
 * scaled in proportion.
 */
export function scale(deployment: Deployment, members: Members): void {
  const wanted = replicasOf(deployment);
  const only = activeOrLatest(members);
  if (only !== undefined) {
    if (only.replicas !== wanted) scaleTo(deployment, only, wanted);
    return;
  }
  if (isSaturated(deployment, members.current)) {
    for (const member of active(members.old)) scaleTo(deployment, member, 0);
    return;
  }
  if (isRollingUpdate(deployment)) scaleProportionally(deployment, active(members.all));
}

/** The only ReplicaSet with pods, or the newest one if none has any; undefined if several have pods. */
function activeOrLatest({ current, old, all }: Members): Member | undefined {
  const running = active(all);
  if (running.length > 1) return undefined;
  return running[0] ?? current ?? old.at(-1);
}

/** Whether the current ReplicaSet has all desired pods and all of them are available. */
function isSaturated(deployment: Deployment, current: Member | undefined): boolean {
  const wanted = replicasOf(deployment);
  return (
    current !== undefined &&
    current.replicas === wanted &&
    countAnnotation(current.annotations, desiredReplicasAnnotation) === wanted &&
    current.set.status.availableReplicas === wanted
  );
}

/** Distributes a change of size over the active ReplicaSets. Source: "Proportional scaling" in Deployments. */
function scaleProportionally(deployment: Deployment, members: readonly Member[]): void {
  const wanted = replicasOf(deployment);
  const allowed = wanted > 0 ? wanted + maxSurge(deployment) : 0;
  const toAdd = allowed - replicaCount(members);
  // Largest first, because rounding errors matter least for large sets. Of equal ones, the newest is scaled up first,
  // and the oldest is scaled down first.
  const age = (member: Member): number => members.indexOf(member);
  const sorted = [...members].sort(
    (a, b) => b.replicas - a.replicas || (toAdd > 0 ? age(b) - age(a) : age(a) - age(b)),
  );
  let added = 0;
  const sizes = sorted.map((member) => {
    const share = toAdd === 0 ? 0 : proportionOf(deployment, member, toAdd, added);
    added += share;
    return member.replicas + share;
  });
  for (const [i, member] of sorted.entries()) {
    const rest = i === 0 ? toAdd - added : 0;
    scaleTo(deployment, member, Math.max(0, (sizes[i] ?? 0) + rest));
  }
}

/** The share of a ReplicaSet in the change, limited to what is left of the change. */
function proportionOf(deployment: Deployment, member: Member, toAdd: number, added: number): number {
  if (member.replicas === 0 || toAdd === added) return 0;
  const fraction = fractionOf(deployment, member);
  const allowed = toAdd - added;
  return toAdd > 0 ? Math.min(fraction, allowed) : Math.max(fraction, allowed);
}

/** The share of a ReplicaSet in the change, relative to the size that all had when they were last scaled. */
function fractionOf(deployment: Deployment, member: Member): number {
  const wanted = replicasOf(deployment);
  if (wanted === 0) return -member.replicas;
  const before = countAnnotation(member.annotations, maxReplicasAnnotation) || deployment.status.replicas || 0;
  if (before === 0) return 0;
  return Math.round((member.replicas * (wanted + maxSurge(deployment))) / before) - member.replicas;
}

/** Takes one step of a rolling update: scales the current ReplicaSet up, or else the old ones down. */
export function rollingStep(deployment: Deployment, members: Members, current: Member): void {
  const wanted = replicasOf(deployment);
  if (current.replicas !== wanted) {
    const size = current.replicas > wanted ? wanted : currentSize(deployment, members.all, current.replicas);
    if (size !== current.replicas) {
      scaleTo(deployment, current, size);
      return;
    }
  }
  shrinkOld(deployment, members, current);
}

function shrinkOld(deployment: Deployment, members: Members, current: Member): void {
  const old = active(members.old);
  if (old.length === 0) return;
  const minAvailable = replicasOf(deployment) - maxUnavailable(deployment);
  const currentUnavailable = current.replicas - stayingCount(current);
  // Pods of the current set that are not available yet do not count.
  const room = replicaCount(members.all) - minAvailable - currentUnavailable;
  if (room <= 0) return;

  // Unavailable old pods are removed first: this costs no availability, and they could block the rollout forever.
  let cleaned = 0;
  for (const member of old) {
    const unavailable = member.replicas - stayingCount(member);
    const count = Math.min(room - cleaned, unavailable);
    if (count <= 0) continue;
    cleaned += count;
    scaleTo(deployment, member, member.replicas - count);
  }
  let left = members.all.reduce((sum, member) => sum + stayingCount(member), 0) - minAvailable;
  for (const member of old) {
    const count = Math.min(member.replicas, left);
    if (count <= 0) continue;
    left -= count;
    scaleTo(deployment, member, member.replicas - count);
  }
}

/**
 * The available pods of a ReplicaSet that will stay. More than its size are reported while it is being scaled down; the original takes no
 * step then.
 */
function stayingCount({ set }: Member): number {
  return Math.min(set.status.availableReplicas ?? 0, set.spec.replicas ?? 1);
}
