import { type DaemonSetFacts, isActive, isAvailable, type PodFacts } from "../facts/facts.ts";
import { podChange, type Replay } from "../history/replay.ts";
import { AvailabilityFloor } from "./availability.ts";
import { finding, isCreated, largest, type Rule } from "./rule.ts";

/**
 * A DaemonSet has one pod on a node, or with `maxSurge` an old and a new one on as many nodes as that says, and an update leaves at
 * most `maxUnavailable` nodes without an available one.
 */
export function daemonSetRule(): Rule {
  const floors = new Map<string, AvailabilityFloor>();
  const since = new Since();
  return (change, state) => {
    const pods = podChange(change);
    const set = pods === undefined ? change.after : state.get(pods.pod.owner);
    if (set?.kind !== "DaemonSet") return [];
    const all = state.podsOf(set.uid);
    since.observe(change.event.revision, set, all);
    const created = pods !== undefined && isCreated(pods) ? creationError(set, pods.pod, state, since) : undefined;
    const floor = floors.get(set.uid) ?? new AvailabilityFloor();
    floors.set(set.uid, floor);
    const available = nodesOf(all.filter(isAvailable)).size;
    const wanted = floor.observe(
      {
        available,
        reported: set.available,
        floor: set.replicas - set.unavailable,
        complete: isComplete(set, all),
      },
      pods,
    );
    const text = `leaves ${available} nodes with an available pod of ${set.name}, ${wanted} must have one`;
    return [...finding(change, created), ...finding(change, wanted === undefined ? undefined : text)];
  };
}

/** Since when pods are available and generations exist, as revisions. */
class Since {
  readonly #available = new Map<string, number>();
  readonly #generations = new Map<string, number>();

  observe(revision: number, { uid, generation }: DaemonSetFacts, pods: readonly PodFacts[]): void {
    const key = `${uid}/${generation}`;
    if (!this.#generations.has(key)) this.#generations.set(key, revision);
    for (const pod of pods)
      if (isAvailable(pod) && !this.#available.has(pod.uid)) this.#available.set(pod.uid, revision);
  }

  /** Whether a pod was available before any generation by which the controller may act. */
  outlasted({ uid, generation, observed }: DaemonSetFacts, pod: PodFacts): boolean {
    for (let oldest = Math.max(1, observed); oldest <= generation; oldest++) {
      const since = this.#generations.get(`${uid}/${oldest}`);
      if (since !== undefined) return (this.#available.get(pod.uid) ?? Number.POSITIVE_INFINITY) < since;
    }
    return false;
  }
}

function creationError(set: DaemonSetFacts, pod: PodFacts, state: Replay, since: Since): string | undefined {
  const all = state.podsOf(set.uid);
  const window = state.windowOf(set);
  if (!window.some(({ version }) => version === pod.version))
    return `created from template ${pod.version}, which ${set.name} does not have`;
  const others = all.filter(({ uid, node }) => uid !== pod.uid && node === pod.node);
  const surge = largest(window.map((version) => version.surge));
  if (surge === 0)
    return others.length === 0 ? undefined : `created on node ${pod.node}, which has ${others.length} of ${set.name}`;
  const present = others.filter(isActive);
  if (present.length > 1 || present.some(({ version }) => version === pod.version))
    return `created on node ${pod.node}, which has ${present.length} of ${set.name}`;
  // An old pod that is not available may be replaced on any number of nodes, also if it becomes available at that moment.
  const doubled = [...nodesOf(all.filter(isActive)).values()].filter(
    (here) =>
      here.length > 1 &&
      here.some((other) => other.version !== set.version && isAvailable(other) && since.outlasted(set, other)),
  );
  return doubled.length > surge
    ? `created on node ${pod.node}, which makes ${doubled.length} nodes with two pods of ${set.name}; ${surge} are allowed`
    : undefined;
}

/** Whether every node has its one pod of the current template, and the controller has reported that. */
export function isComplete(set: DaemonSetFacts, all: readonly PodFacts[]): boolean {
  const current = all.filter((pod) => isAvailable(pod) && pod.version === set.version);
  return (
    set.observed === set.generation &&
    set.available === set.replicas &&
    all.length === set.replicas &&
    nodesOf(current).size === set.replicas
  );
}

function nodesOf(pods: readonly PodFacts[]): ReadonlyMap<string | undefined, readonly PodFacts[]> {
  return Map.groupBy(pods, ({ node }) => node);
}
