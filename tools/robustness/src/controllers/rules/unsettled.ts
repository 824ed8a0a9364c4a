import { assertNever } from "@orchernetes/kernel";
import {
  isActive,
  isAvailable,
  nameOf,
  type OwnerFacts,
  type PodFacts,
  type StatefulSetFacts,
} from "../facts/facts.ts";
import type { Replay } from "../history/replay.ts";
import { isComplete as isDaemonSetComplete } from "./daemon-sets.ts";
import { isComplete as isDeploymentComplete } from "./deployment-availability.ts";
import { ordinalOf } from "./stateful-sets.ts";

/** Returns what is not yet as its specification says it, with a line for each object; empty when all controllers have finished. */
export function unsettled(state: Replay): readonly string[] {
  return state.all().flatMap((object) => {
    const error = object.kind === "Pod" ? podError(object, state) : ownerError(object, state);
    return error === undefined ? [] : [`${nameOf(object)}: ${error}`];
  });
}

/** Every pod has an owner that exists, and none is about to end. */
function podError(pod: PodFacts, state: Replay): string | undefined {
  if (state.get(pod.owner) === undefined) return "has no owner";
  return pod.terminating ? "is still terminating" : undefined;
}

function ownerError(owner: OwnerFacts, state: Replay): string | undefined {
  const pods = state.podsOf(owner.uid);
  switch (owner.kind) {
    case "Deployment":
      return isDeploymentComplete(owner, state) ? undefined : "is not complete";
    case "ReplicaSet": {
      const available = pods.filter(isAvailable).length;
      const settled = available === owner.replicas && pods.filter(isActive).length === owner.replicas;
      return settled
        ? undefined
        : `has ${available} available of ${pods.length} pods, and should have ${owner.replicas}`;
    }
    case "StatefulSet":
      return statefulSetError(owner, pods);
    case "DaemonSet":
      return isDaemonSetComplete(owner, pods) ? undefined : `has ${pods.length} pods on ${owner.replicas} nodes`;
    case "Job":
      if (owner.finished === undefined) return `has completed ${owner.succeeded} of ${owner.completions}`;
      if (pods.some(isActive)) return `is ${owner.finished} and has active pods`;
      return pods.some(({ tracked }) => tracked) ? `is ${owner.finished} and has not released its pods` : undefined;
    default:
      return assertNever(owner);
  }
}

function statefulSetError(set: StatefulSetFacts, pods: readonly PodFacts[]): string | undefined {
  if (pods.length !== set.replicas) return `has ${pods.length} pods, and should have ${set.replicas}`;
  const wrong = pods.find((pod) => {
    const ordinal = ordinalOf(set, pod) ?? -1;
    return !isAvailable(pod) || (ordinal >= set.partition && pod.version !== set.version);
  });
  return wrong === undefined ? undefined : `${wrong.name} is ${wrong.phase} with template ${wrong.version}`;
}
