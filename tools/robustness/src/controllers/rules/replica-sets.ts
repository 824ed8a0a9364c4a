import { isActive } from "../facts/facts.ts";
import { podChange } from "../history/replay.ts";
import { finding, hasLeft, isCreated, largest, leftByItself, type Rule, smallest } from "./rule.ts";

/**
 * A ReplicaSet never has more active pods after the creation of one, nor fewer after the deletion of one, than the versions allow by
 * which its controller may act.
 */
export function replicaSetRule(): Rule {
  /** Pods that have left by themselves since the set had all of its pods, by the set. */
  const lost = new Map<string, number>();
  return (change, state) => {
    const pods = podChange(change);
    const set = pods === undefined ? change.after : state.get(pods.pod.owner);
    if (set?.kind !== "ReplicaSet") return [];
    const active = state.podsOf(set.uid).filter(isActive).length;
    let found: string | undefined;
    if (pods !== undefined) {
      const sizes = state.windowOf(set).map(({ replicas }) => replicas);
      if (isCreated(pods) && active > largest(sizes)) {
        found = `created as one of ${active} active pods of ${set.name}, which should have ${largest(sizes)}`;
      } else if (hasLeft(pods)) {
        const already = lost.get(set.uid) ?? 0;
        if (leftByItself(pods)) lost.set(set.uid, already + 1);
        else if (active < smallest(sizes) - already)
          found = `deleted, which leaves ${active} active pods of ${set.name}, which should have ${smallest(sizes)}`;
      }
    }
    if (set.observed === set.generation && active === set.replicas) lost.delete(set.uid);
    return finding(change, found);
  };
}
