import type { ReplicaSetFacts } from "../facts/facts.ts";
import type { Replay } from "../history/replay.ts";
import { finding, largest, type Rule } from "./rule.ts";

/**
 * A Deployment has one ReplicaSet for a template, and does not scale up one of them if all would then have more pods together than
 * `replicas` and `maxSurge` allow. Sizes are counted as the controller counts them: by the specs of the ReplicaSets, whose own
 * controller may not have deleted what was scaled down before.
 */
export function deploymentSizeRule(): Rule {
  return (change, state) => {
    const { before, after } = change;
    if (after?.kind !== "ReplicaSet") return [];
    const deployment = state.get(after.owner);
    if (deployment?.kind !== "Deployment") return [];
    const sets = setsOf(state, deployment.uid);
    const twin = sets.find(({ uid, version }) => uid !== after.uid && version === after.version);
    if (before === undefined && twin !== undefined)
      return finding(change, `created for the template ${after.version}, which ${twin.name} has`);
    if (after.replicas <= (before?.kind === "ReplicaSet" ? before.replicas : 0)) return [];
    const total = sets.reduce((sum, { replicas }) => sum + replicas, 0);
    const limit = largest(state.windowOf(deployment).map(({ replicas, surge }) => replicas + surge));
    return finding(
      change,
      total > limit
        ? `scaled up to ${after.replicas}, which makes ${total} pods of ${deployment.name}; ${limit} are allowed`
        : undefined,
    );
  };
}

/** The ReplicaSets of a Deployment. */
export function setsOf(state: Replay, deployment: string): readonly ReplicaSetFacts[] {
  return state.ownedBy(deployment).filter((object) => object.kind === "ReplicaSet");
}
