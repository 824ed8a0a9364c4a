import { type DeploymentFacts, type Facts, isActive, isAvailable } from "../facts/facts.ts";
import { podChange, type Replay } from "../history/replay.ts";
import { AvailabilityFloor } from "./availability.ts";
import { setsOf } from "./deployment-size.ts";
import { finding, type Rule } from "./rule.ts";

/** A rollout leaves at least `replicas - maxUnavailable` pods available. */
export function deploymentAvailabilityRule(): Rule {
  const floors = new Map<string, AvailabilityFloor>();
  return (change, state) => {
    const deployment = deploymentOf(change.after ?? change.before, state);
    if (deployment === undefined || state.get(deployment.uid) === undefined) return [];
    const sets = setsOf(state, deployment.uid);
    const available = sets.flatMap(({ uid }) => state.podsOf(uid)).filter(isAvailable).length;
    const floor = floors.get(deployment.uid) ?? new AvailabilityFloor();
    floors.set(deployment.uid, floor);
    const wanted = floor.observe(
      {
        available,
        reported: sets.reduce((sum, set) => sum + set.available, 0),
        floor: deployment.replicas - deployment.unavailable,
        complete: isComplete(deployment, state),
      },
      podChange(change),
    );
    const text = `leaves ${available} available pods of ${deployment.name}, of which ${wanted} must be`;
    return finding(change, wanted === undefined ? undefined : text);
  };
}

/** Whether a Deployment has all of its pods from its current template, and no others. */
export function isComplete(deployment: DeploymentFacts, state: Replay): boolean {
  if (deployment.observed !== deployment.generation) return false;
  const sets = setsOf(state, deployment.uid);
  if (!sets.some(({ version }) => version === deployment.version)) return false;
  return sets.every((set) => {
    const pods = state.podsOf(set.uid);
    const wanted = set.version === deployment.version ? deployment.replicas : 0;
    return (
      set.replicas === wanted &&
      set.observed === set.generation &&
      set.available === wanted &&
      pods.filter(isActive).length === wanted &&
      pods.filter(isAvailable).length === wanted
    );
  });
}

function deploymentOf(object: Facts | undefined, state: Replay): DeploymentFacts | undefined {
  if (object === undefined || object.kind === "Deployment") return object;
  return object.kind === "Pod" || object.kind === "ReplicaSet"
    ? deploymentOf(state.get(object.owner), state)
    : undefined;
}
