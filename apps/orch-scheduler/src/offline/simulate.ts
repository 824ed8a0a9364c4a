import type { core } from "@orchernetes/api";
import { keyOf, type Stored } from "@orchernetes/apimachinery";
import { atOnce, messageOf } from "@orchernetes/kernel";
import { type PodInfo, podInfo } from "../cache/pod-info.ts";
import { explainPod } from "../explain/explain-pod.ts";
import type { PodExplanation } from "../explain/explanation.ts";
import { concerns } from "../extender/extender.ts";
import { decide } from "../framework/decide.ts";
import type { QueuedPodInfo } from "../framework/interfaces.ts";
import type { Profile } from "../framework/profile.ts";
import { prioritySort } from "../plugins/priority-sort.ts";
import type { RestoredState } from "./restore-snapshot.ts";

/** The result for one pod of a simulation. */
export type SimulatedPod =
  | { readonly pod: string; readonly type: "node"; readonly node: string }
  /** It fits after evictions, which are not carried out. */
  | { readonly pod: string; readonly type: "preempts"; readonly node: string; readonly victims: readonly string[] }
  /** A PreEnqueue plugin keeps it out of the queue, such as a scheduling gate. */
  | { readonly pod: string; readonly type: "held"; readonly message: string }
  | { readonly pod: string; readonly type: "unschedulable"; readonly message: string };

/** The result of `orch-scheduler simulate -o json`. */
export interface Simulation {
  readonly kind: "Simulation";
  /** Names of the nodes that were added. */
  readonly addedNodes: readonly string[];
  /** What decisions were made without: plugins of users that are not loaded, and extenders that concern the pods, which are not asked. */
  readonly leftOut: readonly string[];
  /** In the order of their decisions. */
  readonly pods: readonly SimulatedPod[];
  /** Why the first pod without a node has none. */
  readonly explanation?: PodExplanation;
}

const HOSTNAME = "orchernetes.io/hostname";

/**
 * Adds copies of a node to a restored state: same labels but the host name, same allocatable resources, same taints but
 * those that report a condition of the node. Nothing runs on them.
 *
 * @returns their names
 */
export function addNodes({ nodes }: RestoredState, like: Stored<core.Node>, count: number): readonly string[] {
  const names: string[] = [];
  for (let i = 1; names.length < count; i++) {
    const name = `${like.metadata.name}-simulated-${i}`;
    if (nodes.slotOf(name) !== undefined) continue;
    const taints = like.spec.taints?.filter(({ key }) => !key.startsWith("node.orchernetes.io/"));
    const labels = { ...like.metadata.labels, [HOSTNAME]: name };
    nodes.setNode({
      ...like,
      metadata: { ...like.metadata, name, uid: `simulated ${name}`, labels },
      spec: { ...(taints && { taints }) },
    });
    names.push(name);
  }
  return names;
}

/** The first node that accepts ordinary pods in the order of the search. */
export function typicalNode({ nodes }: RestoredState): Stored<core.Node> | undefined {
  const all = Array.from(nodes.searchOrder(), (slot) => nodes.nodeAt(slot));
  const usual = all.find((node) => !node?.spec.unschedulable && !node?.spec.taints?.length);
  return (usual ?? all[0]) as Stored<core.Node> | undefined;
}

/** Pods of the snapshot that wait for a node, in the order in which the scheduler would take them. */
export function waitingPods({ queue, pending, profiles }: RestoredState): readonly Stored<core.Pod>[] {
  const queued = [...queue.values()].flatMap(({ pod: key, attempts, waitingSeconds }, order) => {
    const pod = pending.get(key);
    if (pod === undefined || pod.metadata.deletionTimestamp) return [];
    return [{ pod, info: podInfo(pod), attempts, arrivedMs: -1000 * waitingSeconds, order }];
  });
  // All profiles have the same one.
  const [{ queueSort } = { queueSort: prioritySort }] = profiles.values();
  const compare = (a: QueuedPodInfo, b: QueuedPodInfo): number =>
    queueSort.less(a, b) ? -1 : queueSort.less(b, a) ? 1 : 0;
  return queued.sort(compare).map(({ pod }) => pod);
}

/** Why a PreEnqueue plugin keeps a pod out of the queue; undefined if none does. */
function holdOf(info: PodInfo, { preEnqueues }: Profile): string | undefined {
  for (const plugin of preEnqueues) {
    const message = plugin.preEnqueue(info);
    if (message !== undefined) return message;
  }
  return undefined;
}

function simulateOne(pod: Stored<core.Pod>, state: RestoredState, start: { at: number }): SimulatedPod {
  const key = keyOf(pod);
  const profile = state.profiles.get(pod.spec.schedulerName ?? "");
  if (profile === undefined) {
    const message = `no profile is named ${JSON.stringify(pod.spec.schedulerName ?? "")}`;
    return { pod: key, type: "unschedulable", message };
  }
  const { nodes, nominations, random } = state;
  const info = podInfo(pod);
  const hold = holdOf(info, profile);
  if (hold !== undefined) return { pod: key, type: "held", message: hold };
  const cycle = { start: start.at, random: random.next, nominatedNode: nominations.nodeOf(key), nominations };
  const decision = decide(info, nodes, profile, cycle);
  if (decision.type === "node") {
    const node = nodes.nameOf(decision.slot);
    start.at = decision.next;
    nominations.delete(key);
    nodes.addPod(node, info);
    return { pod: key, type: "node", node };
  }
  for (const { result } of decision.postFilters)
    if (result.type === "nominate") {
      nominations.set(info, result.node);
      return { pod: key, type: "preempts", node: result.node, victims: result.victims.map((victim) => victim.key) };
    }
  return { pod: key, type: "unschedulable", message: decision.message };
}

/**
 * Schedules pods one after the other on a restored state, which it changes: each pod with a node uses its resources. Bindings of
 * volumes are not assumed between the pods, evictions are not carried out, and extenders are not asked.
 */
export function simulate(
  state: RestoredState,
  pods: readonly Stored<core.Pod>[],
  addedNodes: readonly string[],
  leftOutPlugins: readonly string[] = [],
): Simulation {
  const start = { at: state.start };
  let explanation: PodExplanation | undefined;
  const results = pods.map((pod): SimulatedPod => {
    const result = attempt(() => simulateOne(pod, state, start), pod);
    if (result.type === "unschedulable") explanation ??= explanationOf(pod, state, start.at);
    return result;
  });
  const leftOut = [...leftOutPlugins, ...concernedExtenders(state, pods)];
  return { kind: "Simulation", addedNodes, leftOut, pods: results, ...(explanation !== undefined && { explanation }) };
}

const concernedExtenders = ({ extenders }: RestoredState, pods: readonly Stored<core.Pod>[]): readonly string[] =>
  extenders
    .filter((extender) => pods.some((pod) => concerns(extender, pod)))
    .map(({ urlPrefix }) => `extender ${urlPrefix}`);

function attempt(work: () => SimulatedPod, pod: Stored<core.Pod>): SimulatedPod {
  try {
    return work();
  } catch (error) {
    return { pod: keyOf(pod), type: "unschedulable", message: messageOf(error) };
  }
}

function explanationOf(pod: Stored<core.Pod>, state: RestoredState, start: number): PodExplanation | undefined {
  const profile = state.profiles.get(pod.spec.schedulerName ?? "");
  const { nodes, nominations, random, revision } = state;
  const explained = { pod, queued: undefined, assumedNode: undefined, profile };
  return atOnce(explainPod(explained, { nodes, nominations, random, revision, start }));
}
