import { isActive, isAvailable, type PodFacts, type StatefulSetFacts } from "../facts/facts.ts";
import { podChange, type Replay } from "../history/replay.ts";
import { finding, hasLeft, isCreated, leftByItself, type Rule } from "./rule.ts";

/** What a decision about a pod depends on. */
interface Situation {
  readonly set: StatefulSetFacts;
  readonly pod: PodFacts;
  readonly ordinal: number;
  /** The set's pods by their ordinal. */
  readonly pods: ReadonlyMap<number, PodFacts>;
  /** Ordinals whose pod has left by itself and was not available since. */
  readonly lost: ReadonlySet<number>;
  /** The templates that the set has had. */
  readonly versions: ReadonlySet<string>;
}

/**
 * A StatefulSet has one pod of an ordinal. A pod is created because it is missing, with `OrderedReady` when all before it are
 * available, and from the current template unless it is below the partition. A pod is deleted because it has failed, because it is
 * beyond the size of the set (with `OrderedReady` the last one first, when those after it have gone), or because its template is old
 * and all after it have the new one and are available.
 */
export function statefulSetRule(): Rule {
  const lostOf = new Map<string, Set<number>>();
  return (change, state) => {
    const pods = podChange(change);
    const set = state.get(pods?.pod.owner);
    if (pods === undefined || set?.kind !== "StatefulSet") return [];
    const { pod } = pods;
    const ordinal = ordinalOf(set, pod);
    if (ordinal === undefined) return finding(change, `not a name of the set ${set.name}`);
    const lost = lostOf.get(set.uid) ?? new Set();
    lostOf.set(set.uid, lost);
    if (isAvailable(pod)) lost.delete(ordinal);
    const situation: Situation = {
      set,
      pod,
      ordinal,
      lost,
      pods: byOrdinal(set, state),
      versions: new Set(state.versionsOf(set).map(({ version }) => version)),
    };
    if (isCreated(pods)) return finding(change, creationError(situation, state));
    if (!hasLeft(pods)) return [];
    if (!leftByItself(pods)) return finding(change, deletionError(situation, state));
    lost.add(ordinal);
    return [];
  };
}

function creationError(situation: Situation, state: Replay): string | undefined {
  const { set, pod, ordinal } = situation;
  const twin = state.podsOf(set.uid).find((other) => other.uid !== pod.uid && ordinalOf(set, other) === ordinal);
  if (twin !== undefined) return `created while another pod of ordinal ${ordinal} exists`;
  return state.windowOf(set).some((version) => mayCreate(situation, version))
    ? undefined
    : `created from template ${pod.version}, for which ${set.name} had no reason: ${summary(situation)}`;
}

function mayCreate({ pod, ordinal, pods, lost, versions }: Situation, version: StatefulSetFacts): boolean {
  const fromTemplate = ordinal < version.partition ? versions.has(pod.version) : pod.version === version.version;
  if (ordinal >= version.replicas || !fromTemplate) return false;
  return !version.ordered || ordinals(0, ordinal).every((before) => lost.has(before) || isServing(pods.get(before)));
}

function deletionError(situation: Situation, state: Replay): string | undefined {
  const { set, pod } = situation;
  return state.windowOf(set).some((version) => isSurplus(situation, version) || isOutdated(situation, version))
    ? undefined
    : `deleted with template ${pod.version}, for which ${set.name} had no reason: ${summary(situation)}`;
}

function isSurplus({ ordinal, pods }: Situation, version: StatefulSetFacts): boolean {
  if (ordinal < version.replicas) return false;
  return !version.ordered || [...pods.keys()].every((other) => other <= ordinal);
}

function isOutdated({ pod, ordinal, pods, lost }: Situation, version: StatefulSetFacts): boolean {
  if (ordinal < version.partition || ordinal >= version.replicas || pod.version === version.version) return false;
  return ordinals(ordinal + 1, version.replicas).every((after) => {
    const other = pods.get(after);
    return lost.has(after) || (isServing(other) && other?.version === version.version);
  });
}

const isServing = (pod: PodFacts | undefined): boolean => pod !== undefined && isAvailable(pod);

const ordinals = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);

function byOrdinal(set: StatefulSetFacts, state: Replay): ReadonlyMap<number, PodFacts> {
  return new Map(state.podsOf(set.uid).map((pod) => [ordinalOf(set, pod) ?? -1, pod]));
}

/** The ordinal in the name of a pod; undefined if the name is none of the set's. */
export function ordinalOf({ name }: StatefulSetFacts, pod: PodFacts): number | undefined {
  const text = pod.name.startsWith(`${name}-`) ? pod.name.slice(name.length + 1) : "";
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** `size 3, partition 0, template v2; 0 v1 available, 1 v2 Pending` */
function summary({ set, pods }: Situation): string {
  const list = [...pods]
    .sort(([a], [b]) => a - b)
    .map(([ordinal, pod]) => {
      const condition = isAvailable(pod) ? "available" : isActive(pod) ? pod.phase : "leaving";
      return `${ordinal} ${pod.version} ${condition}`;
    });
  return `size ${set.replicas}, partition ${set.partition}, template ${set.version}; ${list.join(", ")}`;
}
